#include "analysis/readouts.h"

#include <cmath>

#include "support/catch.h"

namespace attnlab {
namespace {

AttentionRow row_of(std::int64_t visible, double entropy, double max_weight, double gradient,
                    double first = 0) {
  return {.visible = visible,
          .largest = 2,
          .smallest = -1,
          .unscaled = 8,
          .denominator = 1 / max_weight,
          .entropy = entropy,
          .max_weight = max_weight,
          .gradient_scale = gradient,
          .first_weight = first};
}

AttentionRow spoiled_row() {
  AttentionRow out = row_of(3, 1, 0.5, 0.25);
  out.entropy = std::nan("");
  return out;
}

std::vector<std::string_view> flags_of(const std::vector<AttentionRow>& rows) {
  ReadoutSums sums;
  sums.add(rows, 0, 0.5, 1);
  return sums.flags();
}
using Flags = std::vector<std::string_view>;

TEST_CASE("readouts are means and extremes of the rows that have weights", "[analysis]") {
  const std::vector<AttentionRow> rows{row_of(4, 2, 0.25, 0.1875, 0.25), AttentionRow{},
                                       row_of(8, 0.5, 0.9, 0.09, std::nan("")), spoiled_row()};
  ReadoutSums sums;
  sums.add(rows, 3, -0.5, 2);
  const Readouts found = sums.readouts();
  CHECK(found.rows == 2);
  CHECK(found.masked_rows == 1);
  CHECK(found.nonfinite_rows == 1);
  CHECK(found.entropy == 1.25);
  CHECK(found.entropy_min == 0.5);
  CHECK(found.entropy_max == 2);
  CHECK(found.max_weight == 0.9);
  CHECK(found.mean_max_weight == Approx(0.575));
  CHECK(found.spread == 1.5);
  CHECK(found.gradient_scale == 0.1875);
  CHECK(found.max_logit == 4);
  CHECK(found.max_logit_unscaled == 8);
  CHECK(found.sink_mass == 0.25);
  CHECK(found.effective_keys == Approx((4 + std::sqrt(2)) / 2));
  CHECK(found.zero_share == 0.25);
}

TEST_CASE("heads put together give the readouts of all their rows", "[analysis]") {
  const std::vector<AttentionRow> a{row_of(4, 2, 0.25, 0.2, 0.1), row_of(5, 1, 0.5, 0.25, 0.2)};
  const std::vector<AttentionRow> b{row_of(7, 0.1, 0.99, 0.01, 0.9)};
  std::vector<AttentionRow> both = a;
  both.push_back(b[0]);
  ReadoutSums one, two, all;
  one.add(a, 1, 1, 1);
  two.add(b, 2, 1, 1);
  two.merge(one);
  all.add(both, 3, 1, 1);
  const Readouts merged = two.readouts(), whole = all.readouts();
  CHECK(merged.entropy == Approx(whole.entropy));
  CHECK(merged.entropy_min == whole.entropy_min);
  CHECK(merged.max_weight == whole.max_weight);
  CHECK(merged.sink_mass == Approx(whole.sink_mass));
  CHECK(merged.zero_share == whole.zero_share);
}

TEST_CASE("flags follow their rules", "[analysis]") {
  CHECK(flags_of({row_of(4, 0.2, 0.96, 0.04)}) == Flags{"saturated"});
  CHECK(flags_of({row_of(4, 0.2, 0.995, 0.004)}) == Flags{"saturated", "collapsed"});
  CHECK(flags_of({row_of(400, 8, 0.03, 0.03)}).empty());  // wide and diffuse: not saturated
  CHECK(flags_of({row_of(4, 1, 0.5, 0.25, 0.31)}) == Flags{"sink"});
  CHECK(flags_of({row_of(4, 1, 0.5, 0.25, 0.29)}).empty());
  CHECK(flags_of({row_of(4, 1.97, 0.3, 0.2)}) == Flags{"uniform"});
  CHECK(flags_of({row_of(4, 1.95, 0.3, 0.2)}).empty());
  // A row that sees one key says nothing of saturation, nor of collapse.
  CHECK(flags_of({row_of(1, 0, 1, 0)}).empty());
  CHECK(flags_of({row_of(1, 0, 1, 0), row_of(2, 0.9, 0.6, 0.24)}).empty());
  CHECK(flags_of({AttentionRow{}}).empty());
}

TEST_CASE("what no row has does not exist", "[analysis]") {
  ReadoutSums sums;
  sums.add(std::vector<AttentionRow>{AttentionRow{}}, 0, 1, 1);
  const Readouts found = sums.readouts();
  CHECK(std::isnan(found.entropy));
  CHECK(std::isnan(found.max_weight));
  CHECK(std::isnan(found.zero_share));
  ReadoutSums cold;
  cold.add(std::vector<AttentionRow>{row_of(2, 0, 1, 0)}, 1, 1, 0);
  CHECK(std::isnan(cold.readouts().spread));
  CHECK(cold.readouts().max_weight == 1);
}

}  // namespace
}  // namespace attnlab
