#include "tensor/view.h"

#include <limits>
#include <vector>

#include "support/catch.h"
#include "tensor/mask.h"

namespace attnlab {

TEST_CASE("a view addresses elements by its strides", "[tensor]") {
  std::vector<float> data(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>(i);
  const View bhnd(data.data(), {2, 3, 4, 5});
  CHECK(bhnd.at(1, 2, 3, 4) == 119);
  CHECK(bhnd.row_as<float>(1, 0, 0)[2] == 62);
  const ConstView rows = ConstView(bhnd).rows(2, 2);
  CHECK(rows.shape == Index4{2, 3, 2, 5});
  CHECK(rows.at(0, 1, 1, 0) == bhnd.at(0, 1, 3, 0));

  const auto bnhd = bnhd_view(data.data(), 2, 4, 3, 5);  // memory [2, 3, 4, 5]: n = 3, heads = 4
  CHECK(bnhd.shape == Index4{2, 4, 3, 5});
  CHECK(bnhd.at(1, 3, 2, 4) == 119);
  CHECK(bnhd.at(0, 1, 0, 0) == 5);
}

TEST_CASE("offsets are 64 bits wide", "[tensor]") {
  const std::int64_t n = 46'341;  // n * n passes 2^31
  const ConstView scores(static_cast<const float*>(nullptr), {1, 1, n, n});
  CHECK(scores.offset(0, 0, n - 1, n - 1) == n * n - 1);
  CHECK(element_count(scores.shape) == 2'147'488'281);
}

TEST_CASE("a mask hides keys, and shares what has stride zero", "[tensor]") {
  const std::uint8_t keys[3] = {1, 0, 2};
  const MaskView padding{MaskKind::kBoolean, keys, {0, 0, 0, 1}};
  CHECK(!padding.hides(7, 7, 7, 0));
  CHECK(padding.hides(7, 7, 7, 1));
  CHECK(padding.bias(0, 0, 0, 2) == 0);
  const float inf = std::numeric_limits<float>::infinity();
  const float bias[4] = {0.5f, -inf, 2, 3};
  const MaskView additive{MaskKind::kAdditive, bias, {0, 0, 2, 1}};
  CHECK(additive.bias(0, 0, 0, 0) == 0.5f);
  CHECK(additive.hides(0, 0, 0, 1));
  CHECK(additive.bias(0, 0, 1, 1) == 3);
  CHECK(!MaskView{}.hides(0, 0, 0, 0));
}

}  // namespace attnlab
