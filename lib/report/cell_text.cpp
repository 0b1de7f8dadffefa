#include "report/cell_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "report/expectation.h"

namespace attnlab {
namespace {

struct Scale {
  std::string unit;
  double factor = 1;  // what a value is divided by
};

struct UnitSteps {
  std::string_view unit;
  std::vector<Scale> steps;  // ascending
};

const std::vector<UnitSteps>& unit_steps() {
  static const std::vector<UnitSteps> kSteps = {
      {"s", {{"ns", 1e-9}, {"us", 1e-6}, {"ms", 1e-3}, {"s", 1}}},
      {"B",
       {{"B", 1},
        {"KiB", 1024},
        {"MiB", 1048576},
        {"GiB", 1073741824.0},
        {"TiB", 1099511627776.0}}},
      {"FLOP/s", {{"FLOP/s", 1}, {"MFLOP/s", 1e6}, {"GFLOP/s", 1e9}, {"TFLOP/s", 1e12}}},
      {"B/s", {{"B/s", 1}, {"MB/s", 1e6}, {"GB/s", 1e9}}},
  };
  return kSteps;
}

std::optional<double> number_in(const Cell& cell) {
  if (const auto* count = std::get_if<std::int64_t>(&cell)) return static_cast<double>(*count);
  if (const auto* real = std::get_if<double>(&cell)) return *real;
  return std::nullopt;
}

std::vector<double> numbers_of(const Table& table, std::size_t index) {
  std::vector<double> out;
  for (const Row& row : table.rows) {
    const auto number = number_in(row.cells[index]);
    if (number && *number != 0) out.push_back(std::abs(*number));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// The unit in which the middle value reads best.
Scale scale_of(const Column& column, const std::vector<double>& sizes) {
  Scale best{column.unit, 1};
  for (const UnitSteps& unit : unit_steps()) {
    if (unit.unit != column.unit || sizes.empty()) continue;
    const double middle = sizes[sizes.size() / 2];
    best = unit.steps.front();
    for (const Scale& step : unit.steps) {
      if (middle >= step.factor) best = step;
    }
  }
  return best;
}

int magnitude(double value) { return static_cast<int>(std::floor(std::log10(value))); }

// How reals of a column are written: with one number of decimals, or, when they are too far apart
// for that, each in its own general form.
struct RealForm {
  std::optional<int> decimals;
  std::string print(double value) const {
    return decimals ? fmt::format("{:.{}f}", value, *decimals) : fmt::format("{:.4g}", value);
  }
};

RealForm real_form(const std::vector<double>& sizes, double factor) {
  constexpr double kLargestWhole = 1e9;
  const bool all_whole = std::all_of(sizes.begin(), sizes.end(), [&](double size) {
    return size / factor == std::floor(size / factor) && size / factor < kLargestWhole;
  });
  if (all_whole) return {0};
  constexpr int kSmallestDigits = 4, kLargestDigits = 6, kMostSpread = 5;
  if (sizes.empty()) return {0};
  const int low = magnitude(sizes.front() / factor), high = magnitude(sizes.back() / factor);
  if (high > 9 || low < -6 || high - low > kMostSpread) return {};
  return {std::max(0, std::min(kSmallestDigits - 1 - low, kLargestDigits - 1 - high))};
}

std::string plain_text(const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) return "-";
  if (const auto* flag = std::get_if<bool>(&cell)) return *flag ? "yes" : "no";
  return printable(cell_text(cell), 2000);
}

struct Interval {
  const Column* column = nullptr;
  std::size_t low = 0, high = 0;
};

std::optional<Interval> interval_of(const Table& table, const Column& column) {
  const int low = table.index_of(column.interval_low), high = table.index_of(column.interval_high);
  if (column.interval_low.empty() || low < 0 || high < 0) return std::nullopt;
  return Interval{&column, static_cast<std::size_t>(low), static_cast<std::size_t>(high)};
}

// Half the width where the interval lies evenly around the value in every row.
bool is_symmetric(const Table& table, std::size_t index, const Interval& interval) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
    const auto value = number_in(row.cells[index]);
    const auto low = number_in(row.cells[interval.low]), high = number_in(row.cells[interval.high]);
    if (!value || !low || !high) return true;
    const double half = (*high - *low) / 2;
    return std::abs((*high + *low) / 2 - *value) <= 0.02 * half + 1e-12 * std::abs(*value);
  });
}

// Pads texts at their ends so that their decimal points stand under each other once they are
// aligned to the right.
void align_points(std::vector<std::string>& texts) {
  std::vector<std::size_t> tails;
  std::size_t longest = 0;
  for (const std::string& text : texts) {
    const std::size_t point = text.find('.');
    tails.push_back(point == std::string::npos ? 0 : display_width(text.substr(point)));
    longest = std::max(longest, tails.back());
  }
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i].append(longest - tails[i], ' ');
}

// Puts the half widths behind the values; "" for a row that has none.
void append_halves(std::vector<std::string>& values, std::vector<std::string> halves) {
  align_points(halves);
  std::size_t widest = 0;
  for (const std::string& half : halves) widest = std::max(widest, display_width(half));
  if (widest == 0) return;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool has_half = halves[i].find_first_not_of(' ') != std::string::npos;
    values[i] += has_half ? " ±" : "  ";
    values[i] += std::string(widest - display_width(halves[i]), ' ') + halves[i];
  }
}

}  // namespace

bool is_hidden(const Table& table, std::size_t index) {
  const std::string& name = table.columns[index].name;
  if (name == "status" || name == "reason") {
    const Cell usual = name == "status" ? Cell(std::string("ok")) : Cell();
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const Row& row) { return row.cells[index] == usual; });
  }
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto interval = interval_of(table, table.columns[i]);
    if (interval && (interval->low == index || interval->high == index) &&
        is_symmetric(table, i, *interval)) {
      return true;
    }
  }
  return false;
}

GridColumn column_text(const Table& table, std::size_t index, const ExpectedForm& expected) {
  const Column& column = table.columns[index];
  const std::vector<double> sizes = numbers_of(table, index);
  const Scale scale = scale_of(column, sizes);
  const RealForm form = real_form(sizes, scale.factor);
  auto interval = interval_of(table, column);
  if (interval && !is_symmetric(table, index, *interval)) interval.reset();

  const bool judges = column.name == "status" || column.name == "verdict";
  GridColumn out{
      .header = column.name, .unit = scale.unit, .key = column.kind == ColumnKind::kParameter};
  std::vector<std::string> halves;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Cell& cell = table.rows[i].cells[index];
    const auto number = number_in(cell);
    out.numeric = out.numeric || number.has_value();
    const auto printed = number ? expected(i) : std::nullopt;
    const auto printed_form = printed ? printed_number(*printed) : std::nullopt;
    std::string text;
    if (printed_form) {
      text = printed_form->print(*number);
    } else if (std::holds_alternative<double>(cell) || (number && scale.factor != 1)) {
      text = form.print(*number / scale.factor);
    } else {
      text = plain_text(cell);
    }
    std::string half;
    if (interval && number) {
      const auto low = number_in(table.rows[i].cells[interval->low]);
      const auto high = number_in(table.rows[i].cells[interval->high]);
      if (low && high) half = form.print((*high - *low) / 2 / scale.factor);
    }
    halves.push_back(std::move(half));
    if (judges) out.colors.push_back(color_of_word(text));
    out.cells.push_back(std::move(text));
  }
  if (out.numeric && form.decimals) align_points(out.cells);
  if (interval) append_halves(out.cells, std::move(halves));
  return out;
}

std::string size_text(double bytes) {
  const Scale scale = scale_of({.name = "", .unit = "B"}, {bytes});
  const double value = bytes / scale.factor;
  return fmt::format("{:.{}f} {}", value, value < 10 && scale.factor > 1 ? 1 : 0, scale.unit);
}

std::string value_text(const Cell& cell, const std::string& unit) {
  const auto number = number_in(cell);
  if (std::holds_alternative<std::monostate>(cell)) return "";
  if (!number) return plain_text(cell);
  const Scale scale = scale_of({.name = "", .unit = unit}, {std::abs(*number)});
  const bool is_whole = std::holds_alternative<std::int64_t>(cell) && scale.factor == 1;
  return (is_whole ? plain_text(cell) : fmt::format("{:.4g}", *number / scale.factor)) +
         (scale.unit.empty() ? "" : " " + scale.unit);
}

std::string color_of_word(std::string_view word) {
  struct Judgement {
    std::string_view word, code;
  };
  constexpr std::string_view kGood = "32", kBad = "1;31", kOpen = "33";
  constexpr Judgement kWords[] = {
      {"ok", kGood},          {"pass", kGood},      {"holds", kGood},
      {"same", kGood},        {"improved", kGood},  {"complete", kGood},
      {"fail", kBad},         {"failed", kBad},     {"does not hold", kBad},
      {"regressed", kBad},    {"skipped", kOpen},   {"refused", kOpen},
      {"not checked", kOpen}, {"imprecise", kOpen}, {"inconclusive", kOpen},
      {"interrupted", kOpen}, {"missing", kOpen},   {"extra", kOpen}};
  for (const Judgement& judgement : kWords) {
    if (word == judgement.word) return std::string(judgement.code);
  }
  return "";
}

}  // namespace attnlab
