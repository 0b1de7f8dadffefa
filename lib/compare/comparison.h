// The comparison of two results: whether the new one is worse than the old one.
#ifndef ATTNLAB_COMPARE_COMPARISON_H_
#define ATTNLAB_COMPARE_COMPARISON_H_

#include <array>
#include <string>
#include <vector>

#include "compare/compared_value.h"
#include "compare/times.h"
#include "report/result.h"

namespace attnlab {

struct Comparison {
  std::vector<ComparedValue> values;              // in the order of the old result's rows
  Table means{"geometric_means", "compare", {}};  // a kernel
  std::array<std::size_t, kChangeVerdicts> counts{};

  std::size_t count(ChangeVerdict verdict) const {
    return counts[static_cast<std::size_t>(verdict)];
  }
  // "2 regressed, 1 inconclusive, 40 same"
  std::string counts_text() const;
  // All values, in their order.
  Table table() const;
};

// UserError when the results cannot be compared: values that are none, columns of different units.
// `base_place`, `now_place`: the files, for messages.
Comparison compare_results(const Result& base, const std::string& base_place, const Result& now,
                           const std::string& now_place, const CompareOptions& options);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_COMPARISON_H_
