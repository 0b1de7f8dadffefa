#include "tensor/blas.h"

#include <vector>

#include "support/catch.h"

namespace attnlab {
namespace {

template <class T>
void check_products() {
  // a 2 x 3 and b 3 x 2 inside wider rows; c = 2 a b + c.
  const std::vector<T> a = {1, 2, 3, 99, 4, 5, 6, 99};
  const std::vector<T> b = {1, 0, 99, 0, 1, 99, 2, 2, 99};
  const std::vector<T> b_transposed = {1, 0, 2, 0, 1, 2};
  std::vector<T> c = {1, 1, 7, 1, 1, 7};
  const Matrix<const T> am{a.data(), 2, 3, 4};
  matmul(T{2}, am, Transpose::kNo, Matrix<const T>{b.data(), 3, 2, 3}, T{1},
         Matrix<T>{c.data(), 2, 2, 3});
  CHECK(c == std::vector<T>{15, 17, 7, 33, 35, 7});
  matmul(T{1}, am, Transpose::kYes, Matrix<const T>{b_transposed.data(), 2, 3, 3}, T{0},
         Matrix<T>{c.data(), 2, 2, 3});
  CHECK(c == std::vector<T>{7, 8, 7, 16, 17, 7});
  // Their vectors: rows of a times one; the dot product of two.
  std::vector<T> y(2, 99);
  matvec(am, b_transposed.data(), y.data());
  CHECK(y == std::vector<T>{7, 16});
  CHECK(dot(3, a.data(), b_transposed.data()) == 7);
}

}  // namespace

TEST_CASE("matrix products respect strides, alpha, beta and transposition", "[tensor]") {
  use_one_blas_thread();
  check_products<float>();
  check_products<double>();
}

TEST_CASE("sizes beyond BLAS's int are recognised", "[tensor]") {
  CHECK(fits_blas(Matrix<float>{nullptr, 10, 10, kBlasMax}));
  CHECK(!fits_blas(Matrix<float>{nullptr, kBlasMax + 1, 1, 1}));
}

}  // namespace attnlab
