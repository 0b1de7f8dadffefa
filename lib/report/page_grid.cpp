#include "report/page_grid.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "report/html_text.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kLongText = 32;  // letters from which a cell is a text that needs room

std::string help_id(const PageGrid& grid, std::size_t column) {
  return fmt::format("{}-c{}", grid.id, column + 1);
}

std::string class_of(const PageColumn& column) {
  if (column.is_number) return "number";
  const bool is_text =
      std::any_of(column.cells.begin(), column.cells.end(),
                  [](const std::string& cell) { return display_width(cell) > kLongText; });
  return is_text ? "text" : "";
}

std::string attribute(std::string_view name, std::string_view value) {
  return value.empty() ? "" : fmt::format(" {}=\"{}\"", name, html_text(value));
}

// A name is broken at its underscores where there is no room.
std::string breakable(std::string_view name) {
  std::string out;
  for (const char letter : html_text(name)) {
    out += letter;
    if (letter == '_') out += "<wbr>";
  }
  return out;
}

std::string head_html(const PageGrid& grid, const std::vector<std::string>& classes) {
  std::string out = "<thead><tr>";
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    const PageColumn& column = grid.columns[c];
    out +=
        fmt::format("<th scope=\"col\"{}><button type=\"button\"{}><span class=\"name\">{}</span>",
                    attribute("class", classes[c]),
                    attribute("aria-describedby", column.help.empty() ? "" : help_id(grid, c)),
                    breakable(column.name));
    if (!column.unit.empty()) {
      out += fmt::format("<span class=\"unit\">{}</span>", html_text(column.unit));
    }
    out += "</button></th>";
  }
  return out + "</tr></thead>\n";
}

std::string line_html(const PageGrid& grid, const std::vector<std::string>& classes,
                      std::size_t row) {
  const auto id = grid.row_ids.find(row);
  std::string out = "<tr" + attribute("id", id == grid.row_ids.end() ? "" : id->second) + ">";
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    const PageColumn& column = grid.columns[c];
    std::string name = classes[c];
    if (!column.classes.empty() && !column.classes[row].empty()) {
      name += (name.empty() ? "" : " ") + column.classes[row];
    }
    out += fmt::format("<td{}>{}</td>", attribute("class", name), html_text(column.cells[row]));
  }
  return out + "</tr>\n";
}

// All rows as a list of lists of texts, row by row so that no second copy is held.
std::string rows_json(const PageGrid& grid, std::size_t rows) {
  std::string out = "<script type=\"application/json\" class=\"rows\">[";
  for (std::size_t row = 0; row < rows; ++row) {
    Json cells = Json::array();
    for (const PageColumn& column : grid.columns) cells.push_back(column.cells[row]);
    out += (row == 0 ? "\n" : ",\n") + script_json(cells);
  }
  return out + "\n]</script>\n";
}

std::string help_html(const PageGrid& grid, Language language) {
  std::string entries;
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    const PageColumn& column = grid.columns[c];
    if (column.help.empty()) continue;
    const std::string unit = column.unit.empty() ? "" : " [" + column.unit + "]";
    entries += text_element("dt", "", column.name + unit);
    entries += fmt::format("<dd id=\"{}\">{}</dd>\n", help_id(grid, c), html_text(column.help));
  }
  if (entries.empty()) return "";
  return "<details>" + text_element("summary", "muted", page_text(language, "columns")) + "<dl>\n" +
         entries + "</dl></details>\n";
}

}  // namespace

std::string grid_html(const PageGrid& grid, Language language) {
  const std::size_t rows = grid.columns.empty() ? 0 : grid.columns.front().cells.size();
  if (rows == 0) return text_element("p", "muted", page_text(language, "no rows"));
  const std::size_t plain = std::min(rows, kPlainRows);
  std::vector<std::string> classes;
  for (const PageColumn& column : grid.columns) classes.push_back(class_of(column));
  std::string out = fmt::format("<div class=\"table\" data-rows=\"{}\">\n", rows);
  out += fmt::format(
      "<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-labelledby=\"{}\">\n"
      "<table>\n",
      grid.id);
  out += head_html(grid, classes) + "<tbody>\n";
  for (std::size_t row = 0; row < plain; ++row) out += line_html(grid, classes, row);
  out += "</tbody></table>\n</div>\n";
  if (plain < rows) {
    out += text_element("p", "muted first-rows", page_text(language, "first rows", plain, rows));
    out += rows_json(grid, rows);
  }
  return out + "</div>\n" + help_html(grid, language);
}

}  // namespace attnlab
