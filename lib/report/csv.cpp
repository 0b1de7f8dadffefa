// CSV by RFC 4180: a header row, CRLF line ends, fields quoted where they must be.
#include "report/format.h"

namespace attnlab {
namespace {

void append_field(std::string& out, const std::string& field) {
  const bool plain = field.find_first_of(",\"\r\n") == std::string::npos;
  if (plain) {
    out += field;
    return;
  }
  out += '"';
  for (const char c : field) {
    if (c == '"') out += '"';
    out += c;
  }
  out += '"';
}

}  // namespace

std::string table_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_field(out, table.columns[i].name);
  }
  out += "\r\n";
  for (const Row& row : table.rows) {
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) out += ',';
      append_field(out, cell_text(row.cells[i]));
    }
    out += "\r\n";
  }
  return out;
}

std::string print_csv(const Result& result, const PrintOptions& options) {
  return table_csv(chosen_table(result, options));
}

}  // namespace attnlab
