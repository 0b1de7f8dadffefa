// CSV by RFC 4180: a header row, CRLF line ends, fields quoted where they must be.
#include <fmt/format.h>

#include <iterator>
#include <string_view>

#include "report/format.h"

namespace attnlab {
namespace {

void append_field(std::string& out, std::string_view field) {
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

// Numbers and texts, of which long tables are made, without a detour.
void append_cell(std::string& out, const Cell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    const fmt::format_int text(*count);
    out.append(text.data(), text.size());
  } else if (const auto* real = std::get_if<double>(&cell)) {
    fmt::format_to(std::back_inserter(out), "{}", *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    append_field(out, *text);
  } else {
    append_field(out, cell_text(cell));
  }
}

}  // namespace

std::string table_csv(const Table& table) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (i > 0) out += ',';
    append_field(out, table.columns[i].name);
  }
  out += "\r\n";
  constexpr std::size_t kSample = 100;  // rows after which the length of all can be told
  for (const Row& row : table.rows) {
    if (&row == &table.rows.front() + kSample) {
      out.reserve(out.size() / kSample * (table.rows.size() + table.rows.size() / 8));
    }
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      if (i > 0) out += ',';
      append_cell(out, row.cells[i]);
    }
    out += "\r\n";
  }
  return out;
}

std::string print_csv(const Result& result, const PrintOptions& options) {
  return table_csv(chosen_table(result, options));
}

}  // namespace attnlab
