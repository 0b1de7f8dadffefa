// A table of a page: columns with units and help, rows that are sorted by script, and where they
// are many drawn a window at a time (page/tables.js).
#ifndef ATTNLAB_REPORT_PAGE_GRID_H_
#define ATTNLAB_REPORT_PAGE_GRID_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/language.h"
#include "report/result.h"

namespace attnlab {

// Rows that stand in the page itself; of more, all are beside it as JSON.
inline constexpr std::size_t kPlainRows = 100;

inline constexpr std::size_t kOpenRows = 40;  // a table of more is closed at first

struct PageColumn {
  std::string name;
  std::string unit{};
  std::string help{};
  bool is_number = false;  // aligned to the right and sorted by value
  std::vector<std::string> cells{};
  std::vector<std::string> classes{};  // one a row, or none at all
};

struct PageGrid {
  std::string id;
  std::vector<PageColumn> columns;
  std::map<std::size_t, std::string> row_ids;  // of rows that something links to
};

std::string grid_html(const PageGrid& grid, Language language);

// A table of a result: its caption, rows as the terminal shows them, columns explained, notes.
// `is_open`: not closed at first.
std::string table_html(const Result& result, std::size_t table, const std::string& id,
                       const std::map<std::size_t, std::string>& row_ids, bool is_open,
                       Language language);

// The class of a word that judges ("pass", "failed"): good, bad, warn or "".
std::string class_of_word(std::string_view word);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_GRID_H_
