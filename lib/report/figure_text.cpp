#include "report/figure_text.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "report/figure_grid.h"
#include "report/figure_scale.h"
#include "report/wrapped_text.h"

namespace attnlab {
namespace {

// What is drawn.
struct Signs {
  std::string curve, vertical, corner, horizontal, tick_left, tick_below, mark, several;
};
const Signs kUnicode{"·", "│", "└", "─", "┤", "┬", "X", "*"};
const Signs kAscii{".", "|", "+", "-", "+", "+", "X", "*"};

// The letter of a series: a, b, c, ...
std::string letter_of(std::size_t style) {
  return std::string(1, static_cast<char>('a' + style % 26));
}

// Outside ASCII: "u" for micro, "?" for the rest.
std::string in_ascii(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < 0x80) {
      out += text[i];
    } else if ((byte & 0xC0) != 0x80) {  // the first byte of a letter
      out += text.compare(i, 2, "µ") == 0 ? 'u' : '?';
    }
  }
  return out;
}

class Field {
 public:
  Field(std::size_t width, std::size_t height)
      : width_(width), cells_(height, std::vector<std::string>(width, " ")) {}

  void put(double x_place, double y_place, const std::string& sign) {
    if (std::string* cell = at(x_place, y_place)) *cell = sign;
  }
  // Puts a series' letter; where another series has one already, the sign of several.
  void put_letter(double x_place, double y_place, const std::string& letter, const Signs& signs) {
    std::string* cell = at(x_place, y_place);
    if (cell == nullptr) return;
    const bool is_free = *cell == " " || *cell == signs.curve || *cell == letter;
    *cell = is_free ? letter : signs.several;
  }
  std::string row(std::size_t index) const {
    std::string out;
    for (const std::string& cell : cells_[index]) out += cell;
    return out.substr(0, out.find_last_not_of(' ') + 1);
  }
  bool has(const std::string& sign) const {
    return std::any_of(cells_.begin(), cells_.end(), [&](const std::vector<std::string>& row) {
      return std::find(row.begin(), row.end(), sign) != row.end();
    });
  }
  std::size_t row_of(double y_place) const {
    const double rows = static_cast<double>(cells_.size() - 1);
    return static_cast<std::size_t>(std::lround((1 - y_place) * rows));
  }
  std::size_t column_of(double x_place) const {
    return static_cast<std::size_t>(std::lround(x_place * static_cast<double>(width_ - 1)));
  }

 private:
  std::string* at(double x_place, double y_place) {
    if (!(x_place >= 0 && x_place <= 1 && y_place >= 0 && y_place <= 1)) return nullptr;
    return &cells_[row_of(y_place)][column_of(x_place)];
  }

  std::size_t width_;
  std::vector<std::vector<std::string>> cells_;
};

// Joins points by signs, straight on the scales of the axes; points that cannot be shown leave a
// gap.
void draw_line(const FigurePanel& panel, const std::vector<FigurePoint>& points,
               const FigureScale& x, const FigureScale& y, const std::string& sign, Field& field) {
  const auto visible = [&](const FigurePoint& point) {
    return is_shown(panel.x, point.x) && is_shown(panel.y, point.y);
  };
  constexpr int kSteps = 200;  // more than a terminal has columns or lines between two points
  for (std::size_t i = 1; i < points.size(); ++i) {
    const FigurePoint &from = points[i - 1], &to = points[i];
    if (!visible(from) || !visible(to)) continue;
    for (int step = 0; step <= kSteps; ++step) {
      const double share = static_cast<double>(step) / kSteps;
      field.put(x.place(from.x) + share * (x.place(to.x) - x.place(from.x)),
                y.place(from.y) + share * (y.place(to.y) - y.place(from.y)), sign);
    }
  }
}

void draw_series(const FigurePanel& panel, const FigureScale& x, const FigureScale& y,
                 const Signs& signs, Field& field) {
  for (const FigureSeries& one : panel.series) {
    draw_line(panel, one.curve.empty() ? one.points : one.curve, x, y, signs.curve, field);
  }
  for (const FigureSeries& one : panel.series) {
    for (const FigurePoint& point : one.points) {
      if (!is_shown(panel.x, point.x) || !is_shown(panel.y, point.y)) continue;
      field.put_letter(x.place(point.x), y.place(point.y), letter_of(one.style), signs);
    }
  }
  for (const FigureMark& mark : panel.marks)
    field.put(x.place(mark.x), y.place(mark.y), signs.mark);
}

// The line below the field, and the labels of its ticks, those that would touch left out.
std::string x_axis(const FigureScale& x, const Field& field, std::size_t width, std::size_t indent,
                   std::size_t most, const Signs& signs) {
  std::vector<std::string> rule(width, signs.horizontal);
  std::string labels(indent + 1, ' ');
  for (const FigureTick& tick : x.ticks) {
    const std::size_t column = field.column_of(x.place(tick.value));
    rule[column] = signs.tick_below;
    const std::size_t length = display_width(tick.label);
    const std::size_t centre = indent + 1 + column;
    std::size_t begin = centre >= length / 2 ? centre - length / 2 : 0;
    begin = std::min(begin, most - std::min(most, length));
    const std::size_t used = display_width(labels);
    if (used > indent + 1 && begin < used + 1) continue;
    if (begin < used) continue;
    labels.append(begin - used, ' ');
    labels += tick.label;
  }
  std::string out(indent, ' ');
  out += signs.corner;
  for (const std::string& sign : rule) out += sign;
  return out + '\n' + labels + '\n';
}

std::string legend(const FigurePanel& panel, bool has_several, std::size_t width,
                   const Signs& signs) {
  std::string out;
  const auto entry = [&](const std::string& sign, const std::string& text) {
    out += wrapped_beside("  " + sign + "  ", printable(text, 200), width);
  };
  bool has_curve = false;
  for (const FigureSeries& one : panel.series) {
    if (one.points.empty()) continue;
    entry(letter_of(one.style), legend_of(one));
    has_curve = has_curve || !one.curve.empty();
  }
  if (has_curve) entry(signs.curve, "the curves named behind the colons");
  std::vector<std::string> labels;
  for (const FigureMark& mark : panel.marks) {
    if (!mark.label.empty()) labels.push_back(mark.label);
  }
  if (!panel.marks.empty()) {
    entry(signs.mark, panel.mark_name + (labels.empty() ? "" : ": " + join(labels, "; ")));
  }
  if (has_several) entry(signs.several, "several at one place");
  return out;
}

std::string panel_text(const FigurePanel& panel, const FigureTextOptions& options,
                       const Signs& signs) {
  const FigureScale y = scale_of_y(panel, std::max<std::size_t>(options.height / 2, 2));
  std::size_t indent = 0;
  for (const FigureTick& tick : y.ticks) indent = std::max(indent, display_width(tick.label) + 1);
  const std::size_t width = std::max<std::size_t>(options.width, indent + 12) - indent - 1;
  const FigureScale x = scale_of_x(panel, std::max<std::size_t>(width / 7, 2));
  Field field(width, std::max<std::size_t>(options.height, 4));
  draw_series(panel, x, y, signs, field);
  const std::string heading = panel.y.label + " against " + panel.x.label;
  std::string out = wrapped_beside("", printable(heading, 500), options.width);
  const std::size_t height = std::max<std::size_t>(options.height, 4);
  for (std::size_t row = 0; row < height; ++row) {
    std::string label;
    for (const FigureTick& tick : y.ticks) {
      if (field.row_of(y.place(tick.value)) == row) label = tick.label;
    }
    if (!label.empty()) label += ' ';
    const std::string line = std::string(indent - display_width(label), ' ') + label;
    out += line + (label.empty() ? signs.vertical : signs.tick_left) + field.row(row) + '\n';
  }
  return out + x_axis(x, field, width, indent, options.width, signs) +
         legend(panel, field.has(signs.several), options.width, signs);
}

}  // namespace

std::string figure_text(const Figure& figure, const FigureTextOptions& options) {
  const Signs& signs = options.unicode ? kUnicode : kAscii;
  std::string out = wrapped_beside("", printable(figure.title, 1000), options.width);
  for (const FigurePanel& panel : figure.panels) {
    if (out.size() > 1) out += '\n';
    out += panel.grid ? grid_text(panel, options.width) : panel_text(panel, options, signs);
  }
  return options.unicode ? out : in_ascii(out);
}

}  // namespace attnlab
