// A four-dimensional tensor somewhere in memory: pointer, element type, shape, strides.
// Axes are [batch, heads, n, d] unless said otherwise; strides count elements, may be 0 (one thing
// seen many times) and are 64 bits wide, since n * n passes 2^31 at n = 46,341. A view owns
// nothing.
#ifndef ATTNLAB_TENSOR_VIEW_H_
#define ATTNLAB_TENSOR_VIEW_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/check.h"
#include "tensor/dtype.h"

namespace attnlab {

using Index4 = std::array<std::int64_t, 4>;

// Row-major strides of a tensor without gaps.
Index4 row_major_strides(const Index4& shape);
// Product of the four sizes.
std::int64_t element_count(const Index4& shape);

// Byte is std::byte for a view that may be written through, const std::byte otherwise.
template <class Byte>
struct BasicView {
  Byte* data = nullptr;
  Dtype dtype = Dtype::kF32;
  Index4 shape{};
  Index4 stride{};

  BasicView() = default;
  template <class T>
  BasicView(T* first, const Index4& sizes, const Index4& strides)
      : data(reinterpret_cast<Byte*>(first)),
        dtype(kDtypeOf<std::remove_const_t<T>>),
        shape(sizes),
        stride(strides) {}
  // Without gaps, row-major.
  template <class T>
  BasicView(T* first, const Index4& sizes) : BasicView(first, sizes, row_major_strides(sizes)) {}
  BasicView(Byte* first, Dtype type, const Index4& sizes, const Index4& strides)
      : data(first), dtype(type), shape(sizes), stride(strides) {}
  // A view that may be written is also one that may be read.
  template <class Other, class = std::enable_if_t<std::is_same_v<const Other, Byte>>>
  BasicView(const BasicView<Other>& other)  // NOLINT(google-explicit-constructor)
      : data(other.data), dtype(other.dtype), shape(other.shape), stride(other.stride) {}

  std::int64_t offset(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d = 0) const {
    return a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3];
  }
  // Address of the first element of row [a, b, c, :].
  Byte* row(std::int64_t a, std::int64_t b, std::int64_t c) const {
    return data + offset(a, b, c) * dtype_bytes(dtype);
  }
  // The same as elements; T must be what the view holds.
  template <class T>
  auto* row_as(std::int64_t a, std::int64_t b, std::int64_t c) const {
    ATTNLAB_CHECK(dtype == kDtypeOf<T>);
    using Element = std::conditional_t<std::is_const_v<Byte>, const T, T>;
    return reinterpret_cast<Element*>(row(a, b, c));
  }
  double at(std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) const {
    return load_element(data, dtype, offset(a, b, c, d));
  }

  // Rows [first, first + count) of axis 2.
  BasicView rows(std::int64_t first, std::int64_t count) const {
    ATTNLAB_CHECK(first >= 0 && count >= 0 && first + count <= shape[2]);
    BasicView out = *this;
    out.data += first * stride[2] * dtype_bytes(dtype);
    out.shape[2] = count;
    return out;
  }
};

using View = BasicView<std::byte>;
using ConstView = BasicView<const std::byte>;

// The [batch, heads, n, d] view of memory laid out [batch, n, heads, d], as projections leave it.
template <class T>
auto bnhd_view(T* data, std::int64_t batch, std::int64_t heads, std::int64_t n, std::int64_t d) {
  using Byte = std::conditional_t<std::is_const_v<T>, const std::byte, std::byte>;
  return BasicView<Byte>(data, {batch, heads, n, d}, {n * heads * d, d, heads * d, 1});
}

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_VIEW_H_
