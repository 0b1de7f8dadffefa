// CSV by RFC 4180: a header row, CRLF line ends, fields quoted where they must be.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/number.h"
#include "base/text.h"
#include "report/csv_text.h"
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
    append_number(out, *real);
  } else if (const auto* text = std::get_if<std::string>(&cell)) {
    append_field(out, *text);
  } else {
    append_field(out, cell_text(cell));
  }
}

}  // namespace

void CsvText::add_rows(const Table& table) {
  if (text_.pieces().empty()) {
    std::string& header = text_.next();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (i > 0) header += ',';
      append_field(header, table.columns[i].name);
    }
    header += "\r\n";
  }
  for (; count_ < table.rows.size(); ++count_) {
    std::string& out = text_.next();
    const std::vector<Cell>& cells = table.rows[count_].cells;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      if (i > 0) out += ',';
      append_cell(out, cells[i]);
    }
    out += "\r\n";
  }
}

std::vector<std::string_view> CsvText::pieces() const {
  return {text_.pieces().begin(), text_.pieces().end()};
}

std::string table_csv(const Table& table) {
  CsvText text;
  text.add_rows(table);
  std::string out;
  for (const std::string_view piece : text.pieces()) out += piece;
  return out;
}

std::string print_csv(const Result& result, const PrintOptions& options) {
  return table_csv(chosen_table(result, options));
}

bool is_csv_of(std::string_view start, const Table& table) {
  const std::vector<std::string> header = split(start.substr(0, start.find_first_of("\r\n")), ',');
  const auto is_parameter = [](const Column& c) { return c.kind == ColumnKind::kParameter; };
  const bool has_parameter = std::any_of(table.columns.begin(), table.columns.end(), is_parameter);
  return std::all_of(table.columns.begin(), table.columns.end(), [&](const Column& column) {
    return (has_parameter && !is_parameter(column)) ||
           std::find(header.begin(), header.end(), column.name) != header.end();
  });
}

bool is_csv(std::string_view start, const Result& result) {
  return std::any_of(result.tables.begin(), result.tables.end(),
                     [&](const Table& table) { return is_csv_of(start, table); });
}

}  // namespace attnlab
