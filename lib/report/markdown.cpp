// GitHub's tables: numbers as in the terminal, aligned to the right.
#include <fmt/format.h>

#include "base/text.h"
#include "report/cell_text.h"
#include "report/expectation.h"
#include "report/expected_forms.h"
#include "report/format.h"

namespace attnlab {
namespace {

// Text that GitHub shows as it is.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '\n':
      case '\r':
        out += ' ';
        break;
      case '<':
        out += "&lt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '|':
      case '\\':
      case '*':
      case '`':
      case '[':
      case ']':
        out += '\\';
        [[fallthrough]];
      default:
        out += c;
    }
  }
  return out;
}

std::string line_of(const std::vector<std::string>& cells) {
  return "| " + join(cells, " | ") + " |\n";
}

std::string trimmed(const std::string& text) {
  const std::size_t start = text.find_first_not_of(' ');
  return start == std::string::npos ? ""
                                    : text.substr(start, text.find_last_not_of(' ') + 1 - start);
}

std::string table_markdown(const Result& result, const Table& table) {
  std::string out = "### " + escaped(table.name);
  out += (table.title.empty() ? "" : ": " + escaped(table.title)) + "\n\n";
  if (table.rows.empty()) return out + "(no rows)\n\n";
  const ExpectedForms expected(result, table);
  std::vector<GridColumn> columns;
  std::vector<std::string> names, rules;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (is_hidden(table, c)) continue;
    columns.push_back(column_text(table, c, [&](std::size_t row) { return expected.of(row, c); }));
    const GridColumn& column = columns.back();
    names.push_back(escaped(column.header) + (column.unit.empty() ? "" : " [" + column.unit + "]"));
    rules.emplace_back(column.numeric ? "---:" : "---");
  }
  out += line_of(names) + line_of(rules);
  for (std::size_t row = 0; row < table.rows.size(); ++row) {
    std::vector<std::string> cells;
    for (const GridColumn& column : columns) cells.push_back(escaped(trimmed(column.cells[row])));
    out += line_of(cells);
  }
  for (const std::string& note : table.notes) out += '\n' + escaped(note) + '\n';
  return out + '\n';
}

}  // namespace

std::string print_markdown(const Result& result, const PrintOptions& options) {
  std::string out;
  for (const Table& table : result.tables) {
    const bool is_asked_for = !options.table.empty() && &table == &chosen_table(result, options);
    if (options.table.empty() ? !table.is_detail : is_asked_for) {
      out += table_markdown(result, table);
    }
  }
  if (!result.expectations.empty()) {
    out += "### expectations\n\n" +
           line_of({"table", "row", "column", "expected", "measured", "verdict"}) +
           line_of({"---", "---", "---", "---:", "---:", "---"});
    for (const Expectation& one : result.expectations) {
      std::string verdict(name_of(one.verdict));
      if (one.verdict == Verdict::kFail) verdict = "**" + verdict + "**";
      if (!one.reason.empty()) verdict += ": " + escaped(one.reason);
      out += line_of({escaped(one.table), escaped(selector_text(one.row)), escaped(one.column),
                      escaped(expected_text(one.expected)), escaped(expected_text(one.measured)),
                      verdict});
    }
    out += '\n';
  }
  if (result.status != Status::kComplete) {
    out += fmt::format("This result is **{}**: {} of {} points are done.\n", name_of(result.status),
                       result.points.done, result.points.total);
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

bool is_markdown(std::string_view start, const Result& result) {
  return !result.tables.empty() && start.starts_with("### " + escaped(result.tables.front().name));
}

}  // namespace attnlab
