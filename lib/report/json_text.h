// JSON as text: laid out for people, and rows written fast.
#ifndef ATTNLAB_REPORT_JSON_TEXT_H_
#define ATTNLAB_REPORT_JSON_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "report/table.h"

namespace attnlab {

// The value over as many lines as it needs: what fits a line of 100 columns stays on one, lists of
// numbers are filled up. Later lines begin with `indent` blanks; no newline at the end. Bytes that
// are no UTF-8 (a file name, a command line) become U+FFFD.
std::string pretty_json(const Json& value, std::size_t indent = 0);

// The same on one line, without blanks.
std::string plain_json(const Json& value);

// The text with U+FFFD for bytes that are no UTF-8.
std::string valid_text(std::string_view text);

// Appends a cell. A real number keeps a point or an exponent ("64.0"), so that reading it gives a
// real number again.
void append_json(std::string& out, const Cell& cell);

// Writes the rows of one table as JSON objects on one line; the keys are prepared once.
class RowWriterJson {
 public:
  // `first` comes before the columns: `"table":"variance",` or nothing. A column whose name is
  // `taken` (the key in `first`) is written as "row_" and its name.
  explicit RowWriterJson(const Table& table, std::string first = "", std::string taken = "");
  void append(std::string& out, const Row& row) const;

 private:
  std::string first_;
  std::vector<std::string> keys_;  // "\"d\":", with a comma before all but the first
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_JSON_TEXT_H_
