#include "tensor/dtype.h"

#include <cmath>
#include <limits>

#include "support/catch.h"

namespace attnlab {

TEST_CASE("every element type has a name that finds it again and a size", "[tensor]") {
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBf16, Dtype::kF16, Dtype::kInt8}) {
    CHECK(dtype_from_name(dtype_name(dtype)) == dtype);
    CHECK(dtype_bytes(dtype) >= 1);
  }
  CHECK(!dtype_from_name("f8"));
}

TEST_CASE("every half converts to float and back unchanged", "[tensor]") {
  int wrong_f16 = 0, wrong_bf16 = 0;
  for (int bits = 0; bits < 65536; ++bits) {
    const F16 f16{static_cast<std::uint16_t>(bits)};
    const Bf16 bf16{static_cast<std::uint16_t>(bits)};
    if (std::isnan(to_float(f16))) {
      wrong_f16 += !std::isnan(to_float(to_f16(to_float(f16))));
    } else {
      wrong_f16 += to_f16(to_float(f16)).bits != bits;
    }
    if (std::isnan(to_float(bf16))) {
      wrong_bf16 += !std::isnan(to_float(to_bf16(to_float(bf16))));
    } else {
      wrong_bf16 += to_bf16(to_float(bf16)).bits != bits;
    }
  }
  CHECK(wrong_f16 == 0);
  CHECK(wrong_bf16 == 0);
}

TEST_CASE("halves round to nearest, ties to even", "[tensor]") {
  CHECK(to_float(to_bf16(1.0f + 0x1p-8f)) == 1.0f);                // tie: down to even
  CHECK(to_float(to_bf16(1.0f + 3 * 0x1p-8f)) == 1.0f + 0x1p-6f);  // tie: up to even
  CHECK(to_float(to_bf16(1.0f + 0x1.02p-8f)) == 1.0f + 0x1p-7f);
  CHECK(to_float(to_bf16(std::numeric_limits<float>::max())) ==
        std::numeric_limits<float>::infinity());
  CHECK(to_float(to_f16(1.0f + 0x1p-11f)) == 1.0f);
  CHECK(to_float(to_f16(1.0f + 3 * 0x1p-11f)) == 1.0f + 0x1p-9f);
  CHECK(to_float(to_f16(65520.0f)) == std::numeric_limits<float>::infinity());
  CHECK(to_float(to_f16(0x1p-24f)) == 0x1p-24f);  // the smallest subnormal
  CHECK(to_float(to_f16(0x1p-25f)) == 0.0f);
  CHECK(to_float(to_f16(0x1.8p-24f)) == 0x1p-23f);    // tie between subnormals: to even
  CHECK(to_float(to_f16(0x1.ffep-15f)) == 0x1p-14f);  // up to the smallest normal
  CHECK(to_float(to_f16(65519.996f)) == 65504.0f);
  CHECK(std::isnan(to_float(to_f16(std::nanf("")))));
  CHECK(std::isnan(to_float(to_bf16(std::bit_cast<float>(0x7F800001u)))));
  CHECK(std::signbit(to_float(to_f16(-0.0f))));
}

TEST_CASE("elements are loaded and stored by their type", "[tensor]") {
  alignas(8) std::byte memory[16] = {};
  for (const Dtype dtype : {Dtype::kF32, Dtype::kF64, Dtype::kBf16, Dtype::kF16}) {
    store_element(memory, dtype, 1, -2.5);
    CHECK(load_element(memory, dtype, 1) == -2.5);
  }
}

}  // namespace attnlab
