// One table as CSV (RFC 4180), made while its rows arrive: each is turned into text once.
#ifndef ATTNLAB_REPORT_CSV_TEXT_H_
#define ATTNLAB_REPORT_CSV_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"
#include "report/text_pieces.h"

namespace attnlab {

class CsvText {
 public:
  // Turns the header, at the first call, and the rows that were added since the last one into text.
  void add_rows(const Table& table);
  // The text so far, as pieces that follow each other; valid until the next change.
  std::vector<std::string_view> pieces() const;

 private:
  std::size_t count_ = 0;  // of the rows in the text
  TextPieces text_;
};

// The whole table at once.
std::string table_csv(const Table& table);

// Whether the header of a CSV file has the parameter columns of the table (all, where it has none).
bool is_csv_of(std::string_view start, const Table& table);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_CSV_TEXT_H_
