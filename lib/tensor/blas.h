// Matrix products through BLAS on strided rows.
// Sizes and leading dimensions must fit BLAS's int: fits_blas() tells, matmul() insists on it.
#ifndef ATTNLAB_TENSOR_BLAS_H_
#define ATTNLAB_TENSOR_BLAS_H_

#include <cstdint>
#include <limits>

namespace attnlab {

// rows x cols elements, row r at data + r * stride; stride >= cols.
template <class T>
struct Matrix {
  T* data;
  std::int64_t rows;
  std::int64_t cols;
  std::int64_t stride;
};

inline constexpr std::int64_t kBlasMax = std::numeric_limits<int>::max();

template <class T>
bool fits_blas(const Matrix<T>& matrix) {
  return matrix.rows <= kBlasMax && matrix.cols <= kBlasMax && matrix.stride <= kBlasMax;
}

enum class Transpose { kNo, kYes };

// c = alpha * a * op(b) + beta * c, op(b) = b or its transpose; with beta = 0 c is not read.
// c must not overlap a or b. Runs on the calling thread alone (see use_one_blas_thread).
void matmul(float alpha, const Matrix<const float>& a, Transpose transpose_b,
            const Matrix<const float>& b, float beta, const Matrix<float>& c);
void matmul(double alpha, const Matrix<const double>& a, Transpose transpose_b,
            const Matrix<const double>& b, double beta, const Matrix<double>& c);

// y = a x, [rows] from [rows, cols] and [cols]; and the product of two vectors of n <= kBlasMax.
void matvec(const Matrix<const float>& a, const float* x, float* y);
void matvec(const Matrix<const double>& a, const double* x, double* y);
float dot(std::int64_t n, const float* x, const float* y);
double dot(std::int64_t n, const double* x, const double* y);

// Makes every BLAS call of this process run on the thread that calls, from now on: our own team
// already uses the cores, and BLAS's idle workers would spin beside it. Cheap to repeat.
void use_one_blas_thread();

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_BLAS_H_
