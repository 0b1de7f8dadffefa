#include "report/heat_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/text.h"
#include "report/text_grid.h"

namespace attnlab {
namespace {

constexpr std::size_t kDigits = 4;      // "0.17"
constexpr std::size_t kFewDigits = 2;   // "17": percent, where "0.17" finds no room
constexpr std::size_t kMostLabel = 12;  // columns of a label
constexpr std::size_t kGap = 3;         // between maps

// Blues of the 256-colour palette, from light to dark, with black or white digits on them.
struct Shade {
  int background, digits;
};
constexpr Shade kRamp[] = {{255, 16}, {189, 16}, {153, 16}, {117, 16}, {75, 16},
                           {33, 231}, {26, 231}, {25, 231}, {18, 231}, {17, 231}};

std::string pad(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, display_width(text)), ' ');
  return right ? blanks + text : text + blanks;
}

std::string cell_digits(const std::optional<double>& value, std::size_t width) {
  if (!value) return "-";
  if (*value == 0) return "0";
  if (width >= kDigits) return fmt::format("{:.2f}", *value);
  const double percent = std::round(100 * *value);
  return percent > 99 ? "1." : fmt::format("{:.0f}", percent);  // "1." is one whole
}

struct Layout {
  std::size_t label, cell, gap;  // columns of the terminal; the last stands before each cell

  std::size_t width(std::size_t cells) const { return label + cells * (cell + gap); }
};

std::size_t widest(const std::vector<std::string>& labels) {
  std::size_t out = 1;
  for (const std::string& label : labels) out = std::max(out, display_width(label));
  return std::min(out, kMostLabel);
}

double largest_of(const std::vector<HeatMap>& maps) {
  double out = 0;
  for (const HeatMap& map : maps) {
    for (const auto& row : map.values) {
      for (const auto& value : row) out = std::max(out, value.value_or(0));
    }
  }
  return out;
}

// The lines of columns [first, end) of a map, all as wide as the map.
std::vector<std::string> map_lines(const HeatMap& map, const Layout& layout, std::size_t first,
                                   std::size_t end, double largest, bool color) {
  const std::size_t width = layout.width(end - first);
  std::vector<std::string> out;
  if (!map.title.empty()) out.push_back(pad(shortened(map.title, width), width, false));
  const std::string gap(layout.gap, ' ');
  std::string line(layout.label, ' ');
  for (std::size_t c = first; c < end; ++c) {
    line += gap + pad(shortened(map.columns[c], layout.cell), layout.cell, true);
  }
  out.push_back(std::move(line));
  for (std::size_t r = 0; r < map.rows.size(); ++r) {
    line = pad(shortened(map.rows[r], layout.label), layout.label, false);
    for (std::size_t c = first; c < end; ++c) {
      const std::optional<double>& value = map.values[r][c];
      // The gap before the digits has the cell's colour too.
      const std::string text = gap + pad(cell_digits(value, layout.cell), layout.cell, true);
      std::string code;
      if (color && value) {
        constexpr double kSteps = std::size(kRamp);
        const double share = largest > 0 ? *value / largest : 0;
        const Shade& shade =
            kRamp[static_cast<std::size_t>(std::clamp(share * kSteps, 0.0, kSteps - 1))];
        code = fmt::format("48;5;{};38;5;{}", shade.background, shade.digits);
      }
      line += colored(text, code);
    }
    out.push_back(std::move(line));
  }
  return out;
}

std::string without_blanks_at_end(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string shortened(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  std::size_t bytes = 0;
  for (std::size_t next = 1; next <= text.size(); ++next) {
    const bool is_inside = next < text.size() && (text[next] & 0xC0) == 0x80;
    if (is_inside) continue;  // of a character
    if (display_width(text.substr(0, next)) + 1 > width) break;
    bytes = next;
  }
  return width == 0 ? "" : std::string(text.substr(0, bytes)) + "…";
}

std::vector<HeatMap> heat_maps_of(const Table& table, const TableMatrix& matrix) {
  std::vector<std::string> parameters;  // that tell maps apart
  for (const Column& column : table.columns) {
    if (column.kind != ColumnKind::kParameter || column.name == matrix.row ||
        column.name == matrix.column) {
      continue;
    }
    std::set<std::string> values;
    for (const Row& row : table.rows) values.insert(cell_text(table.at(row, column.name)));
    if (values.size() > 1) parameters.push_back(column.name);
  }
  struct Places {
    std::map<std::string, std::size_t> rows, columns;
  };
  std::vector<HeatMap> out;
  std::vector<Places> places;
  std::map<std::string, std::size_t> by_title;
  for (const Row& row : table.rows) {
    std::vector<std::string> parts;
    for (const std::string& name : parameters) {
      parts.push_back(name + "=" + cell_text(table.at(row, name)));
    }
    const std::string title = join(parts, " ");
    const auto [found, is_new] = by_title.try_emplace(title, out.size());
    if (is_new) {
      out.push_back({title, {}, {}, {}});
      places.emplace_back();
    }
    HeatMap& map = out[found->second];
    Places& at = places[found->second];
    const auto [r, is_new_row] =
        at.rows.try_emplace(cell_text(table.at(row, matrix.row)), map.rows.size());
    if (is_new_row) {
      map.rows.push_back(printable(cell_text(table.at(row, matrix.row_label)), 200));
      map.values.emplace_back();
    }
    const auto [c, is_new_column] =
        at.columns.try_emplace(cell_text(table.at(row, matrix.column)), map.columns.size());
    if (is_new_column) {
      map.columns.push_back(printable(cell_text(table.at(row, matrix.column_label)), 200));
    }
    auto& values = map.values[r->second];
    if (values.size() <= c->second) values.resize(c->second + 1);
    const Cell& cell = table.at(row, matrix.value);
    if (const auto* value = std::get_if<double>(&cell)) values[c->second] = *value;
  }
  for (HeatMap& map : out) {
    for (auto& row : map.values) row.resize(map.columns.size());
  }
  return out;
}

std::string heat_maps_text(const std::vector<HeatMap>& maps, std::size_t width, bool color) {
  if (maps.empty()) return "";
  std::size_t label = 1, columns = 1, header = 1;
  for (const HeatMap& map : maps) {
    label = std::max(label, widest(map.rows));
    header = std::max(header, widest(map.columns));
    columns = std::max(columns, map.columns.size());
  }
  // The widest cells with which all maps stand side by side; else those with which one fits; else
  // the narrowest, and a map is cut.
  const auto fitting = [&](std::size_t side_by_side) -> std::optional<Layout> {
    for (std::size_t cell = std::max(header, kDigits); cell >= kDigits; --cell) {
      const Layout layout{label, cell, 1};
      if (side_by_side * layout.width(columns) + (side_by_side - 1) * kGap <= width) return layout;
    }
    const Layout narrow{label, kFewDigits, 1};
    if (side_by_side == 1 && narrow.width(columns) <= width) return narrow;
    return std::nullopt;
  };
  std::optional<Layout> layout;
  for (std::size_t count = std::min<std::size_t>(maps.size(), 4); count > 0 && !layout; --count) {
    layout = fitting(count);
  }
  const bool is_cut = !layout.has_value();
  if (is_cut) layout = Layout{label, kDigits, 1};
  const std::size_t room = width > label ? (width - label) / (layout->cell + layout->gap) : 0;
  const std::size_t at_once = is_cut ? std::max<std::size_t>(room, 1) : columns;

  const double largest = largest_of(maps);
  std::string out;
  for (std::size_t first = 0; first < maps.size();) {
    std::size_t count = 1, used = layout->width(maps[first].columns.size());
    while (!is_cut && first + count < maps.size()) {
      used += kGap + layout->width(maps[first + count].columns.size());
      if (used > width || maps[first + count].rows.size() != maps[first].rows.size()) break;
      ++count;
    }
    for (std::size_t begin = 0; begin < maps[first].columns.size(); begin += at_once) {
      if (!out.empty()) out += '\n';
      std::vector<std::string> lines;
      for (std::size_t m = first; m < first + count; ++m) {
        const std::size_t end = std::min(begin + at_once, maps[m].columns.size());
        const auto added = map_lines(maps[m], *layout, begin, end, largest, color);
        lines.resize(std::max(lines.size(), added.size()));
        for (std::size_t l = 0; l < added.size(); ++l) {
          lines[l] += (m == first ? "" : std::string(kGap, ' ')) + added[l];
        }
      }
      for (const std::string& line : lines) out += without_blanks_at_end(line) + '\n';
    }
    first += count;
  }
  if (layout->cell < kDigits) out += "(in percent; 1. is a whole)\n";
  return out;
}

}  // namespace attnlab
