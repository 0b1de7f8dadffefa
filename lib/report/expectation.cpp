#include "report/expectation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr double kExact = 1e-12;  // relative: what a bare real number may differ by

const Table* table_of(const Json& item, const std::vector<Table>& tables) {
  if (!item.contains("table")) return &tables.front();
  for (const Table& table : tables) {
    if (item["table"] == table.base_name) return &table;
  }
  return nullptr;
}

std::vector<std::string> column_names(const Table& table) {
  std::vector<std::string> out{"table"};
  for (const Column& column : table.columns) out.push_back(column.name);
  return out;
}

std::optional<double> number_of(const Json& value) {
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

// What is wrong with the form of an expected value, or "".
std::string form_problem(const Json& expected) {
  if (expected.is_array()) {
    const bool whole = std::all_of(expected.begin(), expected.end(),
                                   [](const Json& item) { return item.is_number_integer(); });
    return whole ? "" : "a list must hold whole numbers";
  }
  if (!expected.is_object()) return "";
  const bool by_value = expected.contains("value");
  for (const auto& [key, value] : expected.items()) {
    const bool known =
        by_value ? key == "value" || key == "abs" || key == "rel" : key == "min" || key == "max";
    if (!known) return fmt::format("unknown key {}", printable(key));
    if (!value.is_number()) return fmt::format("{} is not a number", printable(key));
    if (key != "value" && by_value && value.get<double>() < 0) return key + " is negative";
  }
  if (by_value && expected.size() != 2) return "value needs either abs or rel";
  if (expected.empty()) return "is empty";
  return "";
}

std::string compare_number(const Json& expected, double measured, bool is_count) {
  if (expected.is_string()) {
    const auto printed = printed_number(expected.get<std::string>());
    if (!printed) return "the value is a number";
    const std::string text = printed->print(measured);
    return text == printed->text ? "" : fmt::format("prints as {}", text);
  }
  if (expected.is_number()) {
    const double wanted = expected.get<double>();
    const double allowed = is_count ? 0 : kExact * std::max(std::abs(wanted), std::abs(measured));
    if (is_count && expected.is_number_integer()) return "";  // compared as integers by the caller
    return std::abs(measured - wanted) <= allowed ? "" : "differs";
  }
  if (expected.is_object() && expected.contains("value")) {
    const double wanted = expected["value"].get<double>();
    const double allowed = expected.contains("abs")
                               ? expected["abs"].get<double>()
                               : expected["rel"].get<double>() * std::abs(wanted);
    const double off = std::abs(measured - wanted);
    return off <= allowed ? "" : fmt::format("off by {:.3g}, allowed {:.3g}", off, allowed);
  }
  if (expected.is_object()) {
    if (expected.contains("min") && measured < expected["min"].get<double>()) return "below min";
    if (expected.contains("max") && measured > expected["max"].get<double>()) return "above max";
    return "";
  }
  return "the value is a number";
}

// Why the measured value does not meet the expected one, or "".
std::string compare(const Json& expected, const Json& measured) {
  if (measured.is_number()) {
    const bool is_count = measured.is_number_integer();
    if (is_count && expected.is_number_integer()) return expected == measured ? "" : "differs";
    return compare_number(expected, measured.get<double>(), is_count);
  }
  if (expected == measured) return "";
  return measured.is_null() ? "there is no value" : "differs";
}

// Whether a row's parameter is the one that a selector names: numbers by value, all else by
// equality.
bool selects(const Json& selector, const Json& cell) {
  const auto wanted = number_of(selector), found = number_of(cell);
  return wanted && found ? *wanted == *found : selector == cell;
}

// The parameters that tell a table's rows apart: those with more than one value.
std::vector<std::string> telling_columns(const Table& table) {
  std::vector<std::string> out;
  for (const Column& column : table.columns) {
    if (column.kind != ColumnKind::kParameter) continue;
    const bool varies = std::any_of(table.rows.begin(), table.rows.end(), [&](const Row& row) {
      return table.at(row, column.name) != table.at(table.rows.front(), column.name);
    });
    if (varies) out.push_back(column.name);
  }
  return out;
}

// Adds the verdict of each row that the selectors find.
void evaluate_value(const Table& table, const Json& selectors, const std::string& column,
                    const Json& expected, std::vector<Expectation>& out) {
  const std::vector<std::string> telling = telling_columns(table);
  bool found = false;
  for (const Row& row : table.rows) {
    Json place = Json::object();
    bool is_selected = true;
    for (const auto& [key, value] : selectors.items()) {
      place[key] = cell_json(table.at(row, key));
      is_selected = is_selected && selects(value, place[key]);
    }
    if (!is_selected) continue;
    found = true;
    for (const std::string& key : telling) place[key] = cell_json(table.at(row, key));
    Expectation one{table.name,     place, column, expected, cell_json(table.at(row, column)),
                    Verdict::kPass, ""};
    one.reason = compare(expected, one.measured);
    if (!one.reason.empty()) one.verdict = Verdict::kFail;
    out.push_back(std::move(one));
  }
  if (!found) {
    out.push_back({table.name, selectors, column, expected, nullptr, Verdict::kFail,
                   "no row of the table has these parameters"});
  }
}

// Calls visit(table, selectors, column, expected) for each cell that an item speaks of.
template <class Visit>
void for_each_value(const Json& expect, const std::vector<Table>& tables, Visit&& visit) {
  for (const Json& item : expect) {
    const Table& table = *table_of(item, tables);
    Json selectors = Json::object();
    std::vector<std::pair<std::string, Json>> values;
    for (const auto& [key, value] : item.items()) {
      if (key == "table") continue;
      const Column& column = table.columns[static_cast<std::size_t>(table.index_of(key))];
      if (column.kind == ColumnKind::kParameter) {
        selectors[key] = value;
      } else {
        values.emplace_back(key, value);
      }
    }
    for (const auto& [column, expected] : values) visit(table, selectors, column, expected);
  }
}

}  // namespace

std::string PrintedNumber::print(double value) const {
  std::string out =
      exponent ? fmt::format("{:.{}e}", value, digits) : fmt::format("{:.{}f}", value, digits);
  const bool is_zero = out.find_first_of("123456789") >= out.find('e');
  if (is_zero && out.starts_with('-')) out.erase(0, 1);  // "-0.00" is printed "0.00"
  return out;
}

std::optional<PrintedNumber> printed_number(std::string_view text) {
  const auto value = number_from_text(text);
  if (!value || text.starts_with('+')) return std::nullopt;
  PrintedNumber out;
  const std::string_view mantissa = text.substr(0, text.find_first_of("eE"));
  const std::size_t point = mantissa.find('.');
  out.exponent = mantissa.size() != text.size();
  if (out.exponent) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    out.digits = static_cast<int>(std::count_if(mantissa.begin(), mantissa.end(), is_digit)) - 1;
  } else if (point != std::string_view::npos) {
    out.digits = static_cast<int>(mantissa.size() - point - 1);
  }
  if (out.digits < 0 || out.digits > 30) return std::nullopt;
  out.text = out.print(*value);
  return out;
}

void check_expectations(const Json& expect, const std::vector<Table>& tables,
                        const std::string& place, std::vector<Mistake>& mistakes) {
  if (!expect.is_array()) {
    mistakes.push_back({place, shown(expect) + " is not a list", "write [{...}, ...]"});
    return;
  }
  std::vector<std::string> table_names;
  for (const Table& table : tables) table_names.push_back(table.base_name);
  for (std::size_t i = 0; i < expect.size(); ++i) {
    const Json& item = expect[i];
    const std::string here = child_place(place, i);
    if (!item.is_object()) {
      mistakes.push_back(
          {here, shown(item) + " is not an object", "write {\"column\": value, ...}"});
      continue;
    }
    const Table* table = table_of(item, tables);
    if (table == nullptr) {
      mistakes.push_back({child_place(here, "table"), "no table is called " + shown(item["table"]),
                          "tables: " + join(table_names, ", ")});
      continue;
    }
    bool has_value = false;
    for (const auto& [key, value] : item.items()) {
      if (key == "table") continue;
      const int index = table->index_of(key);
      if (index < 0) {
        has_value = true;  // it was meant to be one
        mistakes.push_back({child_place(here, key), "table " + table->name + " has no such column",
                            suggest(key, column_names(*table))});
        continue;
      }
      const bool selector =
          table->columns[static_cast<std::size_t>(index)].kind == ColumnKind::kParameter;
      has_value = has_value || !selector;
      std::string problem = selector ? "" : form_problem(value);
      if (selector && value.is_structured()) problem = shown(value) + " finds no row";
      if (!problem.empty()) {
        mistakes.push_back(
            {child_place(here, key), problem,
             "give a number, \"4.03\", {\"value\": 1, \"abs\": 0.1} or {\"min\": 0}"});
      }
    }
    if (!has_value) mistakes.push_back({here, "expects no value", "name a column to meet"});
  }
}

std::vector<Expectation> evaluate_expectations(const Json& expect,
                                               const std::vector<Table>& tables) {
  std::vector<Expectation> out;
  for_each_value(expect, tables, [&out](const auto&... value) { evaluate_value(value..., out); });
  return out;
}

std::vector<Expectation> skipped_expectations(const Json& expect, const std::vector<Table>& tables,
                                              const std::string& reason) {
  std::vector<Expectation> out;
  for_each_value(expect, tables,
                 [&](const Table& table, const Json& selectors, const std::string& column,
                     const Json& expected) {
                   out.push_back({table.name, selectors, column, expected, nullptr,
                                  Verdict::kNotChecked, reason});
                 });
  return out;
}

std::string expected_text(const Json& value) {
  if (value.is_number_float()) return number_text(value.get<double>());
  if (value.is_string()) return printable(value.get<std::string>(), 200);
  if (!value.is_object()) return shown(value);
  // A document may hold what no config may.
  if (!form_problem(value).empty()) return shown(value);
  const auto number = [&](const char* key) { return expected_text(value.at(key)); };
  if (value.contains("abs")) return number("value") + " ±" + number("abs");
  if (value.contains("rel")) return number("value") + " ±" + number("rel") + " relative";
  if (!value.contains("max")) return ">= " + number("min");
  if (!value.contains("min")) return "<= " + number("max");
  return number("min") + " to " + number("max");
}

std::string selector_text(const Json& row) {
  std::string out;
  for (const auto& [key, value] : row.items()) {
    out += (out.empty() ? "" : " ") + key + "=" + expected_text(value);
  }
  return out;
}

}  // namespace attnlab
