// --threshold: by how much a time may change, in general and for a kernel or a column.
#ifndef ATTNLAB_COMPARE_THRESHOLDS_H_
#define ATTNLAB_COMPARE_THRESHOLDS_H_

#include <map>
#include <set>
#include <string>
#include <vector>

#include "report/table.h"

namespace attnlab {

class Thresholds {
 public:
  static constexpr double kDefault = 0.05;

  // Of texts "5%", "0.05", "flash=3%", "time=10%": one without a name is the general one.
  // UserError, with the place --threshold, for what is none.
  explicit Thresholds(const std::vector<std::string>& texts);

  // Of a value of that column in that row: the smallest whose name is the column's or the text of a
  // parameter of the row; where there is none, the general one.
  double of(const Table& table, const Row& row, const std::string& column);
  // UserError when a name was never met by of().
  void check_all_used() const;

 private:
  double general_ = kDefault;
  std::map<std::string, double> named_;
  std::set<std::string> used_;
};

}  // namespace attnlab

#endif  // ATTNLAB_COMPARE_THRESHOLDS_H_
