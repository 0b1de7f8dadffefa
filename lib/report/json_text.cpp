#include "report/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::size_t kWidth = 100;

// On one line, with blanks after commas and colons; gives up (returns false) past `most` bytes.
bool append_line(const Json& value, std::string& out, std::size_t most) {
  if (!value.is_structured() || value.empty()) {
    out += plain_json(value);
    return out.size() <= most;
  }
  out += value.is_object() ? '{' : '[';
  bool first = true;
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (!first) out += ", ";
    first = false;
    if (value.is_object()) out += plain_json(Json(it.key())) + ": ";
    if (!append_line(*it, out, most)) return false;
  }
  out += value.is_object() ? '}' : ']';
  return out.size() <= most;
}

bool all_scalars(const Json& list) {
  for (const Json& item : list) {
    if (item.is_structured()) return false;
  }
  return true;
}

void append_pretty(const Json& value, std::size_t indent, std::size_t used, std::string& out) {
  std::string line;
  const std::size_t room = kWidth > indent + used ? kWidth - indent - used : 0;
  if (append_line(value, line, room) || !value.is_structured()) {
    out += line;
    return;
  }
  const std::string inner(indent + 2, ' ');
  out += value.is_object() ? "{\n" : "[\n";
  if (value.is_array() && all_scalars(value)) {
    std::string row = inner;
    for (const Json& item : value) {
      const std::string text = plain_json(item) + (&item == &value.back() ? "" : ",");
      if (row.size() > inner.size() && row.size() + 1 + text.size() > kWidth) {
        out += row + '\n';
        row = inner;
      }
      row += (row.size() > inner.size() ? " " : "") + text;
    }
    out += row;
  } else {
    bool first = true;
    for (auto it = value.begin(); it != value.end(); ++it) {
      out += (first ? "" : ",\n") + inner;
      first = false;
      const std::string key = value.is_object() ? plain_json(Json(it.key())) + ": " : "";
      out += key;
      append_pretty(*it, indent + 2, key.size() + 1, out);
    }
  }
  out += '\n' + std::string(indent, ' ') + (value.is_object() ? '}' : ']');
}

// Whether a text stands in JSON as it is.
bool is_plain(const std::string& text) {
  bool out = true;
  for (const char c : text) out &= c >= ' ' && c <= '~' && c != '"' && c != '\\';
  return out;
}

}  // namespace

std::string pretty_json(const Json& value, std::size_t indent) {
  std::string out;
  append_pretty(value, indent, 0, out);
  return out;
}

std::string plain_json(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string valid_text(std::string_view text) {
  return Json::parse(plain_json(Json(text))).get<std::string>();
}

void append_json(std::string& out, const Cell& cell) {
  if (std::holds_alternative<std::monostate>(cell)) {
    out += "null";
  } else if (const auto* flag = std::get_if<bool>(&cell)) {
    out += *flag ? "true" : "false";
  } else if (const auto* count = std::get_if<std::int64_t>(&cell)) {
    const fmt::format_int text(*count);
    out.append(text.data(), text.size());
  } else if (const auto* real = std::get_if<double>(&cell)) {
    const std::size_t before = out.size();
    append_number(out, *real);
    if (out.find_first_of(".e", before) == std::string::npos) out += ".0";
  } else if (const auto* text = std::get_if<std::string>(&cell); text && is_plain(*text)) {
    out += '"';
    out += *text;
    out += '"';
  } else {
    out += plain_json(cell_json(cell));
  }
}

RowWriterJson::RowWriterJson(const Table& table, std::string first, std::string taken)
    : first_(std::move(first)) {
  for (const Column& column : table.columns) {
    const std::string name = column.name == taken ? "row_" + column.name : column.name;
    keys_.push_back((keys_.empty() ? "" : ",") + plain_json(Json(name)) + ":");
  }
}

void RowWriterJson::append(std::string& out, const Row& row) const {
  out += '{';
  out += first_;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    out += keys_[i];
    append_json(out, row.cells[i]);
  }
  if (!row.time_samples.empty()) {
    out += keys_.empty() ? "\"time_samples\":[" : ",\"time_samples\":[";
    bool first_process = true;
    for (const std::vector<double>& process : row.time_samples) {
      out += first_process ? "[" : ",[";
      first_process = false;
      for (std::size_t i = 0; i < process.size(); ++i) {
        if (i > 0) out += ',';
        append_json(out, Cell(process[i]));
      }
      out += ']';
    }
    out += ']';
  }
  out += '}';
}

}  // namespace attnlab
