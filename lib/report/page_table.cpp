// A table of a result as a grid of a page.
#include <fmt/format.h>

#include "report/cell_text.h"
#include "report/expected_forms.h"
#include "report/html_text.h"
#include "report/page_grid.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

// Blanks that pad a number become blanks as wide as a digit, so that decimal points stand in line;
// a text loses its padding.
std::string padded(const std::string& text, bool is_number) {
  constexpr std::string_view kFigureSpace = "\u2007";
  if (!is_number) {
    const std::size_t end = text.find_last_not_of(' ');
    return end == std::string::npos ? "" : text.substr(0, end + 1);
  }
  std::string out;
  for (const char letter : text) out += letter == ' ' ? kFigureSpace : std::string_view(&letter, 1);
  return out;
}

PageColumn page_column(const Table& table, std::size_t index, const ExpectedForms& expected) {
  GridColumn column =
      column_text(table, index, [&](std::size_t row) { return expected.of(row, index); });
  PageColumn out{.name = column.header,
                 .unit = column.unit,
                 .help = table.columns[index].help,
                 .is_number = column.numeric};
  for (const std::string& cell : column.cells) out.cells.push_back(padded(cell, column.numeric));
  if (!column.colors.empty()) {
    for (const std::string& cell : column.cells) out.classes.push_back(class_of_word(cell));
  }
  return out;
}

}  // namespace

std::string class_of_word(std::string_view word) {
  const std::string code = color_of_word(word);
  return code == "32" ? "good" : code == "1;31" ? "bad" : code == "33" ? "warn" : "";
}

std::string table_html(const Result& result, std::size_t table, const std::string& id,
                       const std::map<std::size_t, std::string>& row_ids, bool is_open,
                       Language language) {
  const Table& shown = result.tables[table];
  const ExpectedForms expected(result, shown);
  PageGrid grid{.id = id, .columns = {}, .row_ids = row_ids};
  for (std::size_t c = 0; c < shown.columns.size(); ++c) {
    if (!is_hidden(shown, c)) grid.columns.push_back(page_column(shown, c, expected));
  }
  std::string out =
      fmt::format("<details class=\"{}\"{}>\n<summary><h4 id=\"{}\">{}</h4></summary>\n",
                  shown.rows.size() <= kPlainRows ? "print" : "", is_open ? " open" : "", id,
                  html_text(page_text(language, shown.rows.size() == 1 ? "table row" : "table rows",
                                      shown.name, shown.rows.size())));
  out += grid_html(grid, language);
  for (const std::string& note : shown.notes) out += text_element("p", "note", note);
  return out + "</details>\n";
}

}  // namespace attnlab
