// Compares the times of rows: by their samples, with verdicts that hold for all of them together.
#ifndef ATTNLAB_COMPARE_TIMES_H_
#define ATTNLAB_COMPARE_TIMES_H_

#include <string>
#include <vector>

#include "compare/compared_value.h"
#include "compare/match.h"
#include "compare/thresholds.h"
#include "measure/change.h"

namespace attnlab {

struct CompareOptions {
  std::vector<std::string> thresholds{};
  std::string relative_to{};  // a kernel; "": times as they are
  bool in_pairs = false;      // process i of one result ran beside process i of the other
};

// A row that both results timed.
struct TimedPair {
  std::size_t value;  // among all values; its verdict is still to be told
  TimedSide base, now;
  double threshold;
  std::string group;  // "sweep flash": what the geometric means are taken of
};

class TimeComparison {
 public:
  explicit TimeComparison(const CompareOptions& options)
      : options_(options), thresholds_(options.thresholds) {}

  // Adds the value of the rows' times, where both have samples.
  void add(const TablePair& tables, const RowPair& rows, std::vector<ComparedValue>& values);
  // Sets ratio, interval, p and verdict of those values. UserError when a threshold or the
  // reference kernel met no row.
  void judge(std::vector<ComparedValue>& values);

  const std::vector<TimedPair>& rows() const { return rows_; }
  Change change_of(const TimedSide& base, const TimedSide& now, double threshold) const;

 private:
  CompareOptions options_;
  Thresholds thresholds_;
  std::vector<TimedPair> rows_;
  bool has_timed_ = false;  // whether any row has samples at all
};

// What a change says: regressed or improved only when it is beyond the threshold, its interval too,
// and p below 0.05; same when the interval is within the threshold.
ChangeVerdict verdict_of(const Change& change, double threshold);

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_TIMES_H_
