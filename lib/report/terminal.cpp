// Tables for people: fitted to the terminal's width. A table of one row that is too wide is turned
// on its side; any other is cut into blocks that each repeat the parameters.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/cell_text.h"
#include "report/expectation.h"
#include "report/expected_forms.h"
#include "report/format.h"
#include "report/heat_map.h"
#include "report/text_grid.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

std::string trimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  text.erase(0, text.find_first_not_of(' '));
  return text;
}

// One line a column: its name, the value of the only row, the unit.
std::vector<GridColumn> turned(const std::vector<GridColumn>& columns) {
  GridColumn names{.header = "column"}, values{.header = "value"}, units{.header = "unit"};
  for (const GridColumn& column : columns) {
    names.cells.push_back(column.header);
    values.cells.push_back(trimmed(column.cells.front()));
    values.colors.push_back(column.colors.empty() ? "" : column.colors.front());
    units.cells.push_back(column.unit);
  }
  return {std::move(names), std::move(values), std::move(units)};
}

std::string notes_text(const Table& table, const PrintOptions& options) {
  std::string out = table.notes.empty() ? "" : "\n";
  for (const std::string& note : table.notes) out += wrapped_beside("  ", note, options.width);
  return out;
}

// Whether a table is only shown when it is asked for: what is behind another table (an experiment's
// first table only as long as all its rows are right), or a matrix without rows.
bool is_left_out(const Table& table) {
  if (table.rows.empty() && table.matrix) return true;
  if (!table.is_detail || table.base_name != table.experiment) return table.is_detail;
  const int status = table.index_of("status");
  return status < 0 || std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
           return row.cells[static_cast<std::size_t>(status)] == Cell(std::string("ok"));
         });
}

std::string table_text(const Result& result, const Table& table, const PrintOptions& options) {
  std::string out;
  const std::string heading = table.name + (table.title.empty() ? "" : ": " + table.title);
  for (const std::string& line : wrapped_lines(printable(heading, 1000), options.width)) {
    out += colored(line, options.color ? "1" : "") + '\n';
  }
  if (table.rows.empty()) return out + "(no rows)\n\n";
  if (table.matrix) {
    out += heat_maps_text(heat_maps_of(table, *table.matrix), options.width, options.color);
    return out + notes_text(table, options) + '\n';
  }
  const ExpectedForms expected(result, table);
  std::vector<GridColumn> columns;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (is_hidden(table, c)) continue;
    columns.push_back(column_text(table, c, [&](std::size_t row) { return expected.of(row, c); }));
  }
  const GridOptions layout{.width = options.width, .color = options.color};
  TextGrid grid(columns, layout);
  if (table.rows.size() == 1 && !grid.fits()) grid = TextGrid(turned(columns), layout);
  out += grid.text();
  if (grid.overflows()) {
    out += fmt::format("(wider than {} columns; see --format csv)\n", options.width);
  }
  return out + notes_text(table, options) + '\n';
}

std::string expectations_text(const std::vector<Expectation>& all, const Table& table,
                              const PrintOptions& options) {
  GridColumn rows{.header = "row"}, columns{.header = "column"}, expected{.header = "expected"},
      measured{.header = "measured"}, verdicts{.header = "verdict"};
  for (const Expectation& one : all) {
    if (one.table != table.name) continue;
    rows.cells.push_back(selector_text(one.row));
    columns.cells.push_back(one.column);
    expected.cells.push_back(expected_text(one.expected));
    measured.cells.push_back(expected_text(one.measured));
    const std::string word(name_of(one.verdict));
    verdicts.cells.push_back(one.reason.empty() ? word : word + ": " + one.reason);
    verdicts.colors.push_back(color_of_word(word));
  }
  if (rows.cells.empty()) return "";
  const TextGrid grid(
      {std::move(rows), std::move(columns), std::move(expected), std::move(measured),
       std::move(verdicts)},
      {.width = options.width, .indent = 2, .least_text = 10, .color = options.color});
  return grid.text() + '\n';
}

std::string summary_text(const Result& result, const PrintOptions& options) {
  const auto in_color_of = [&](std::string_view word, const std::string& text) {
    return colored(text, options.color ? color_of_word(word) : "") + '\n';
  };
  std::size_t counts[3] = {};
  for (const Expectation& one : result.expectations) ++counts[static_cast<int>(one.verdict)];
  std::string out;
  if (!result.expectations.empty()) {
    const Verdict overall = counts[1] > 0   ? Verdict::kFail
                            : counts[2] > 0 ? Verdict::kNotChecked
                                            : Verdict::kPass;
    std::string text =
        fmt::format("{} of {} expectations pass", counts[0], result.expectations.size());
    if (counts[1] > 0) text += fmt::format(", {} fail", counts[1]);
    if (counts[2] > 0) text += fmt::format(", {} not checked", counts[2]);
    out += in_color_of(name_of(overall), text);
  }
  if (result.status != Status::kComplete) {
    out +=
        in_color_of(name_of(result.status),
                    fmt::format("This result is {}: {} of {} points are done.",
                                name_of(result.status), result.points.done, result.points.total));
  }
  return out;
}

}  // namespace

std::string print_table(const Result& result, const PrintOptions& options) {
  std::string out;
  std::vector<std::string> details;
  for (const Table& table : result.tables) {
    const bool is_asked_for = !options.table.empty() && &table == &chosen_table(result, options);
    if (!options.table.empty() && !is_asked_for) continue;
    if (is_left_out(table) && !is_asked_for) {
      if (table.rows.empty() && table.matrix) continue;
      details.push_back(fmt::format("{} ({} row{})", table.name, table.rows.size(),
                                    table.rows.size() == 1 ? "" : "s"));
    } else {
      out += table_text(result, table, options);
    }
    out += expectations_text(result.expectations, table, options);
  }
  if (!details.empty()) {
    out += wrapped_beside("", "More with --table: " + join(details, ", "), options.width);
  }
  out += summary_text(result, options);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

bool is_table(std::string_view start, const Result& result) {
  return !result.tables.empty() && start.starts_with(result.tables.front().name);
}

}  // namespace attnlab
