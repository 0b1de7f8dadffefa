// The ids of a page's places, for links. Results, tables and rows are counted from 1.
#ifndef ATTNLAB_REPORT_PAGE_IDS_H_
#define ATTNLAB_REPORT_PAGE_IDS_H_

#include <fmt/format.h>

#include <cstddef>
#include <string>

namespace attnlab {

inline std::string result_id(std::size_t result) { return fmt::format("r{}", result + 1); }
inline std::string experiment_id(std::size_t result, std::size_t experiment) {
  return fmt::format("r{}-x{}", result + 1, experiment + 1);
}
inline std::string table_id(std::size_t result, std::size_t table) {
  return fmt::format("r{}-t{}", result + 1, table + 1);
}
inline std::string row_id(const std::string& grid, std::size_t row) {
  return fmt::format("{}-row{}", grid, row + 1);
}
// Of the grid with an experiment's expectations; its rows are counted within the result.
inline std::string expectations_id(std::size_t result, std::size_t experiment) {
  return experiment_id(result, experiment) + "-expected";
}
// Of the grid with a result's expectations of tables that it does not have.
inline std::string homeless_expectations_id(std::size_t result) {
  return result_id(result) + "-expected";
}

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_IDS_H_
