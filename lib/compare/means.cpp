#include "compare/means.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace attnlab {
namespace {

struct Group {
  std::string experiment, table, kernel;
  std::vector<const TimedPair*> rows{};
  double log_sum = 0;
};

std::vector<Group> groups_of(const TimeComparison& times,
                             const std::vector<ComparedValue>& values) {
  std::vector<Group> out;
  for (const TimedPair& row : times.rows()) {
    const ComparedValue& value = values[row.value];
    auto group = std::find_if(out.begin(), out.end(), [&](const Group& one) {
      return one.table == value.table && one.kernel == row.group;
    });
    if (group == out.end()) {
      group = out.insert(out.end(), {value.experiment, value.table, row.group});
    }
    group->rows.push_back(&row);
    group->log_sum += std::log(value.ratio.value_or(1));
  }
  return out;
}

// Each process's geometric mean of the rows' medians, as if it were its only sample; no times where
// the rows have different numbers of processes.
TimedSide mean_side(const std::vector<const TimedPair*>& rows, TimedSide TimedPair::*side) {
  const std::size_t processes = (rows.front()->*side).times.size();
  TimedSide out;
  for (std::size_t i = 0; i < processes; ++i) {
    double sum = 0;
    for (const TimedPair* row : rows) {
      const TimedSide& own = row->*side;
      if (own.times.size() != processes) return {};
      sum += std::log(median(own.times[i]));
      if (!own.reference.empty()) sum -= std::log(median(own.reference[i]));
    }
    out.times.push_back({std::exp(sum / static_cast<double>(rows.size()))});
  }
  return out;
}

}  // namespace

Table geometric_means(const TimeComparison& times, const std::vector<ComparedValue>& values) {
  using K = ColumnKind;
  Column ratio{"ratio", "geometric mean of new / base over the rows", K::kDerived};
  ratio.interval_low = "ratio_low";
  ratio.interval_high = "ratio_high";
  Table out(
      "geometric_means", "compare",
      {{"experiment", "that made the table", K::kParameter},
       {"table", "that the rows are in", K::kParameter},
       {"kernel", "whose times they are; elsewhere the first parameter in words", K::kParameter},
       {"rows", "timed rows", K::kDerived},
       ratio,
       {"ratio_low", "lower end of its 95 % interval", K::kDerived},
       {"ratio_high", "upper end of its 95 % interval", K::kDerived}});
  out.is_detail = times.rows().empty();
  for (const Group& group : groups_of(times, values)) {
    auto row = out.add_row();
    const double mean = std::exp(group.log_sum / static_cast<double>(group.rows.size()));
    row.set("experiment", group.experiment)
        .set("table", group.table)
        .set("kernel", group.kernel)
        .set("rows", group.rows.size())
        .set("ratio", mean);
    const TimedSide base = mean_side(group.rows, &TimedPair::base);
    const TimedSide now = mean_side(group.rows, &TimedPair::now);
    if (base.times.empty() || now.times.empty()) continue;
    const Change change = times.change_of(base, now, 0);
    if (!change.interval) continue;
    // Of the mean that is shown: that of the processes' medians may differ from it a little.
    row.set("ratio_low", mean * change.interval->low / change.ratio)
        .set("ratio_high", mean * change.interval->high / change.ratio);
  }
  return out;
}

}  // namespace attnlab
