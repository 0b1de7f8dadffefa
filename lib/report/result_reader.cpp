#include "report/result_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostBytes = std::size_t{4} << 30;

// The value of a name among those that `name_of` gives to the first `count` values of E.
template <class E>
E value_named(const Json& name, int count) {
  for (int i = 0; i < count; ++i) {
    if (name == Json(name_of(static_cast<E>(i)))) return static_cast<E>(i);
  }
  throw std::runtime_error("unknown word " + shown(name));
}

Cell cell_of(const Json& value) {
  switch (value.type()) {
    case Json::value_t::null:
      return {};
    case Json::value_t::boolean:
      return value.get<bool>();
    case Json::value_t::number_integer:
    case Json::value_t::number_unsigned:
      return value.get<std::int64_t>();
    case Json::value_t::number_float:
      return value.get<double>();
    case Json::value_t::string:
      return value.get<std::string>();
    default:
      return value.get<std::vector<std::int64_t>>();
  }
}

Column column_of(const Json& json) {
  Column out{json.at("name").get<std::string>(), json.at("help").get<std::string>(),
             value_named<ColumnKind>(json.at("kind"), 5), json.at("unit").get<std::string>(),
             value_named<Better>(json.at("better"), 3)};
  if (const Json& tolerance = json.at("tolerance"); tolerance.is_object()) {
    out.tolerance = {tolerance.value("relative", 0.0), tolerance.value("absolute", 0.0),
                     tolerance.value("of", std::string())};
  }
  if (json.contains("interval")) {
    out.interval_low = json.at("interval").at(0).get<std::string>();
    out.interval_high = json.at("interval").at(1).get<std::string>();
  }
  return out;
}

// Strict: get() would take true for a time.
std::vector<std::vector<double>> samples_of(const Json& json) {
  std::vector<std::vector<double>> out;
  for (const Json& process : json) {
    std::vector<double>& times = out.emplace_back();
    if (!process.is_array()) throw std::runtime_error("time_samples hold " + shown(process));
    for (const Json& time : process) {
      if (!time.is_number()) throw std::runtime_error("time_samples hold " + shown(time));
      times.push_back(time.get<double>());
    }
  }
  return out;
}

Table table_of(const Json& json) {
  std::vector<Column> columns;
  for (const Json& column : json.at("columns")) columns.push_back(column_of(column));
  Table out(json.at("name").get<std::string>(), json.at("experiment").get<std::string>(),
            std::move(columns));
  out.base_name = std::string(name_without_number(out.name));
  out.title = json.at("title").get<std::string>();
  out.notes = json.at("notes").get<std::vector<std::string>>();
  if (!json.contains("rows")) return out;
  if (!json.at("rows").is_array()) {
    throw std::runtime_error(
        fmt::format("the rows of table {} are {}", printable(out.name), shown(json.at("rows"))));
  }
  for (const Json& row : json.at("rows")) {
    Row& added = out.rows.emplace_back();
    // Our own documents have the columns in order; a lookup by key would cost their square.
    auto member = row.begin();
    for (const Column& column : out.columns) {
      const bool in_order = member != row.end() && member.key() == column.name;
      added.cells.push_back(cell_of(in_order ? *member : row.at(column.name)));
      if (in_order) ++member;
    }
    if (row.contains("time_samples")) {
      added.time_samples = samples_of(row.at("time_samples"));
    }
  }
  return out;
}

Result result_of(const Json& json) {
  if (!json.is_object() || !json.contains("schema")) {
    throw std::runtime_error("it has no schema");
  }
  if (json.at("schema") != Json(kResultSchema)) {
    throw std::runtime_error("its schema is " + shown(json.at("schema")));
  }
  Result out;
  out.name = json.at("name").get<std::string>();
  out.status = value_named<Status>(json.at("status"), 3);
  if (json.contains("points")) {
    out.points = {json.at("points").at("done").get<std::size_t>(),
                  json.at("points").at("total").get<std::size_t>()};
  }
  out.provenance = json.at("provenance");
  if (!out.provenance.is_object()) {
    throw std::runtime_error("its provenance is " + shown(out.provenance));
  }
  for (const Json& one : json.at("expectations")) {
    out.expectations.push_back({one.at("table").get<std::string>(), one.at("row"),
                                one.at("column").get<std::string>(), one.at("expected"),
                                one.at("measured"), value_named<Verdict>(one.at("verdict"), 3),
                                one.value("reason", std::string())});
  }
  if (!json.at("tables").is_array()) {
    throw std::runtime_error("its tables are " + shown(json.at("tables")));
  }
  for (const Json& table : json.at("tables")) {
    Table one = table_of(table);
    if (out.find(one.name) != nullptr) {
      throw std::runtime_error(fmt::format("two tables have the name {}", printable(one.name)));
    }
    out.tables.push_back(std::move(one));
  }
  return out;
}

Result parsed(const std::string& text, const std::string& path) {
  try {
    return result_of(Json::parse(text));
  } catch (const std::exception& error) {  // of the parser, of at() and get(), or our own
    throw UserError(path, fmt::format("is no {} document: {}", kResultSchema, error.what()),
                    "name a result.json that attnlab wrote");
  }
}

// Without the lines of its rows, as JsonDocument writes them; a document that was laid out anew
// keeps them.
std::string without_rows(const std::string& text) {
  constexpr std::string_view kRow = "\n      {";
  std::string out;
  std::size_t kept = 0;  // what is copied or left out so far
  for (std::size_t row = text.find(kRow); row != std::string::npos; row = text.find(kRow, kept)) {
    out.append(text, kept, row - kept);
    kept = std::min(text.size(), text.find('\n', row + 1));
  }
  return out.append(text, kept, std::string::npos);
}

}  // namespace

Result read_result(const std::string& path) { return parsed(read_file(path, kMostBytes), path); }

Result read_result_without_rows(const std::string& path) {
  return parsed(without_rows(read_file(path, kMostBytes)), path);
}

}  // namespace attnlab
