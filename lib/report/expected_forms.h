// Which printed numbers the expectations of a result want of the cells of a table.
#ifndef ATTNLAB_REPORT_EXPECTED_FORMS_H_
#define ATTNLAB_REPORT_EXPECTED_FORMS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "report/result.h"

namespace attnlab {

class ExpectedForms {
 public:
  // Both outlive this object.
  ExpectedForms(const Result& result, const Table& table);
  // The printed number that the cell is expected to equal ("4.03"), if any.
  std::optional<std::string> of(std::size_t row, std::size_t column) const;

 private:
  // The expectations that find their rows by the same columns.
  struct Group {
    std::vector<std::size_t> selectors;
    std::unordered_map<std::string, std::string> forms;  // by column and values of the selectors
  };
  const Table& table_;
  std::vector<Group> groups_;
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_EXPECTED_FORMS_H_
