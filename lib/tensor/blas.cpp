#include "tensor/blas.h"

#include <cblas.h>

#include <mutex>

#include "base/check.h"

namespace attnlab {
namespace {

// One body for both precisions; gemm is cblas_sgemm or cblas_dgemm.
template <class T, class Gemm>
void multiply(Gemm gemm, T alpha, const Matrix<const T>& a, Transpose transpose_b,
              const Matrix<const T>& b, T beta, const Matrix<T>& c) {
  const bool transposed = transpose_b == Transpose::kYes;
  ATTNLAB_CHECK(fits_blas(a) && fits_blas(b) && fits_blas(c));
  ATTNLAB_CHECK(a.rows == c.rows && (transposed ? b.rows : b.cols) == c.cols);
  ATTNLAB_CHECK(a.cols == (transposed ? b.cols : b.rows));
  if (c.rows == 0 || c.cols == 0) return;
  gemm(CblasRowMajor, CblasNoTrans, transposed ? CblasTrans : CblasNoTrans,
       static_cast<int>(c.rows), static_cast<int>(c.cols), static_cast<int>(a.cols), alpha, a.data,
       static_cast<int>(a.stride), b.data, static_cast<int>(b.stride), beta, c.data,
       static_cast<int>(c.stride));
}

}  // namespace

void matmul(float alpha, const Matrix<const float>& a, Transpose transpose_b,
            const Matrix<const float>& b, float beta, const Matrix<float>& c) {
  multiply(cblas_sgemm, alpha, a, transpose_b, b, beta, c);
}

void matmul(double alpha, const Matrix<const double>& a, Transpose transpose_b,
            const Matrix<const double>& b, double beta, const Matrix<double>& c) {
  multiply(cblas_dgemm, alpha, a, transpose_b, b, beta, c);
}

void matvec(const Matrix<const float>& a, const float* x, float* y) {
  ATTNLAB_CHECK(fits_blas(a));
  cblas_sgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(a.rows), static_cast<int>(a.cols), 1,
              a.data, static_cast<int>(a.stride), x, 1, 0, y, 1);
}

void matvec(const Matrix<const double>& a, const double* x, double* y) {
  ATTNLAB_CHECK(fits_blas(a));
  cblas_dgemv(CblasRowMajor, CblasNoTrans, static_cast<int>(a.rows), static_cast<int>(a.cols), 1,
              a.data, static_cast<int>(a.stride), x, 1, 0, y, 1);
}

float dot(std::int64_t n, const float* x, const float* y) {
  ATTNLAB_CHECK(n <= kBlasMax);
  return cblas_sdot(static_cast<int>(n), x, 1, y, 1);
}

double dot(std::int64_t n, const double* x, const double* y) {
  ATTNLAB_CHECK(n <= kBlasMax);
  return cblas_ddot(static_cast<int>(n), x, 1, y, 1);
}

void use_one_blas_thread() {
  static std::once_flag once;
  std::call_once(once, [] { openblas_set_num_threads(1); });
}

}  // namespace attnlab
