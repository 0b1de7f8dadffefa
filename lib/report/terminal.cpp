// Tables for people: fitted to the terminal's width; a table too wide is cut into blocks that each
// repeat the parameter columns.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"
#include "report/cell_text.h"
#include "report/format.h"

namespace attnlab {
namespace {

constexpr std::size_t kGap = 2;  // blanks between columns

struct Style {
  bool color;
  std::string in(std::string_view code, const std::string& text) const {
    return color ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : text;
  }
  std::string heading(const std::string& text) const { return in("1", text); }
  std::string verdict(Verdict verdict, const std::string& text) const {
    return in(verdict == Verdict::kPass ? "32" : verdict == Verdict::kFail ? "1;31" : "33", text);
  }
};

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

// Text broken into lines of at most `width` columns, each begun with `indent`.
std::string wrapped(const std::string& text, std::size_t width, const std::string& indent) {
  std::string out, line = indent;
  for (const std::string& word : split(text, ' ')) {
    if (display_width(line) + 1 + display_width(word) > width && line != indent) {
      out += trimmed(line);
      line = std::string(indent.size(), ' ');
    }
    line += (line.size() == indent.size() ? "" : " ") + word;
  }
  return out + trimmed(line);
}

// The columns of each block, as indices into `columns`.
std::vector<std::vector<std::size_t>> blocks_of(const std::vector<ColumnText>& columns,
                                                const std::vector<bool>& is_key,
                                                std::size_t width) {
  std::vector<std::size_t> keys;
  std::size_t key_width = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!is_key[i]) continue;
    keys.push_back(i);
    key_width += columns[i].width + kGap;
  }
  std::vector<std::vector<std::size_t>> blocks{keys};
  std::size_t used = key_width;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (is_key[i]) continue;
    if (used + columns[i].width > width && blocks.back().size() > keys.size()) {
      blocks.push_back(keys);
      used = key_width;
    }
    blocks.back().push_back(i);
    used += columns[i].width + kGap;
  }
  return blocks;
}

std::string table_text(const Result& result, const Table& table, const PrintOptions& options) {
  const Style style{options.color};
  std::vector<ColumnText> columns;
  std::vector<bool> is_key;
  bool has_unit = false;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (is_hidden(table, c)) continue;
    const std::string& name = table.columns[c].name;
    columns.push_back(column_text(table, c, [&](std::size_t row) -> std::optional<std::string> {
      for (const Expectation& one : result.expectations) {
        if (one.table != table.name || one.column != name || !one.expected.is_string()) continue;
        bool same = true;
        for (const auto& [key, value] : one.row.items()) {
          same = same && cell_json(table.at(table.rows[row], key)) == value;
        }
        if (same) return one.expected.get<std::string>();
      }
      return std::nullopt;
    }));
    is_key.push_back(table.columns[c].kind == ColumnKind::kParameter);
    has_unit = has_unit || !columns.back().unit.empty();
  }
  std::string out =
      style.heading(table.name + (table.title.empty() ? "" : ": " + table.title)) + '\n';
  if (table.rows.empty()) return out + "(no rows)\n";
  for (const auto& block : blocks_of(columns, is_key, options.width)) {
    std::string names, units;
    for (const std::size_t c : block) {
      const bool right = columns[c].numeric;
      names += padded(columns[c].header, columns[c].width, right) + std::string(kGap, ' ');
      units += padded(columns[c].unit, columns[c].width, right) + std::string(kGap, ' ');
    }
    names.erase(names.find_last_not_of(' ') + 1);
    out += style.in("4", names) + '\n';
    if (has_unit && units.find_first_not_of(' ') != std::string::npos) out += trimmed(units);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      std::string line;
      for (const std::size_t c : block) line += columns[c].cells[row] + std::string(kGap, ' ');
      out += trimmed(line);
    }
    out += '\n';
  }
  for (const std::string& note : table.notes) out += wrapped(note, options.width, "  ");
  if (!table.notes.empty()) out += '\n';
  return out;
}

std::string row_text(const Json& row) {
  std::string out;
  for (const auto& [key, value] : row.items()) {
    out += (out.empty() ? "" : " ") + key + "=" +
           (value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

std::string value_text(const Json& value) {
  if (value.is_number_float()) return number_text(value.get<double>());
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string expectations_text(const std::vector<Expectation>& all, const Table& table,
                              const PrintOptions& options) {
  const Style style{options.color};
  std::vector<std::vector<std::string>> lines{{"row", "column", "expected", "measured", "verdict"}};
  std::vector<const Expectation*> of_line{nullptr};
  for (const Expectation& one : all) {
    if (one.table != table.name) continue;
    std::string verdict(name_of(one.verdict));
    if (!one.reason.empty()) verdict += ": " + one.reason;
    lines.push_back({row_text(one.row), one.column, value_text(one.expected),
                     value_text(one.measured), verdict});
    of_line.push_back(&one);
  }
  if (lines.size() == 1) return "";
  std::vector<std::size_t> widths(5, 0);
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < 5; ++i) widths[i] = std::max(widths[i], display_width(line[i]));
  }
  std::string out;
  for (std::size_t l = 0; l < lines.size(); ++l) {
    std::string text = "  ";
    for (std::size_t i = 0; i < 4; ++i) text += padded(lines[l][i], widths[i], false) + "  ";
    const std::string& verdict = lines[l][4];
    text += of_line[l] == nullptr ? verdict : style.verdict(of_line[l]->verdict, verdict);
    out += trimmed(text);
  }
  return out + '\n';
}

std::string summary_text(const Result& result, const Style& style) {
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
    out += style.verdict(overall, text) + '\n';
  }
  if (result.status != Status::kComplete) {
    out += style.verdict(Verdict::kFail, fmt::format("This result is {}.", name_of(result.status)));
    out += '\n';
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
    if (table.is_detail && !is_asked_for) {
      details.push_back(fmt::format("{} ({} rows)", table.name, table.rows.size()));
    } else {
      out += table_text(result, table, options);
    }
    out += expectations_text(result.expectations, table, options);
  }
  if (!details.empty())
    out += wrapped("More with --table: " + join(details, ", "), options.width, "");
  out += summary_text(result, Style{options.color});
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace attnlab
