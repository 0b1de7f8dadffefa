#include "report/json_document.h"

#include "report/format.h"

namespace attnlab {
namespace {

// Text from outside (a command line, a file name) may hold bytes that are no UTF-8.
std::string dumped(const Json& value, int indent = -1) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// `"key": value`, an object spread over lines of its own.
void append_member(std::string& out, const std::string& key, const Json& value) {
  out += "  " + dumped(key) + ": ";
  for (const char c : dumped(value, value.is_object() ? 2 : -1)) {
    out += c;
    if (c == '\n') out += "  ";
  }
  out += ",\n";
}

}  // namespace

std::string JsonDocument::text(const Result& result) {
  std::string out = "{\n";
  append_member(out, "schema", kResultSchema);
  append_member(out, "name", result.name);
  append_member(out, "status", name_of(result.status));
  append_member(out, "provenance", result.provenance);
  out += "  \"expectations\": [";
  for (const Expectation& one : result.expectations) {
    out += (&one == &result.expectations.front() ? "\n    " : ",\n    ") +
           dumped(expectation_json(one));
  }
  out += result.expectations.empty() ? "],\n" : "\n  ],\n";
  out += "  \"tables\": [";
  tables_.resize(result.tables.size());
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    const Table& table = result.tables[i];
    Rows& rows = tables_[i];
    for (; rows.count < table.rows.size(); ++rows.count) {
      rows.text += (rows.count == 0 ? "\n      " : ",\n      ");
      rows.text += dumped(row_json(table, table.rows[rows.count]));
    }
    std::string head = dumped(table_head_json(table));
    head.pop_back();  // its closing brace: the rows come last
    out += (i == 0 ? "\n    " : ",\n    ") + head + ",\"rows\":[" + rows.text +
           (rows.count == 0 ? "]}" : "\n    ]}");
  }
  out += result.tables.empty() ? "]\n}\n" : "\n  ]\n}\n";
  return out;
}

std::string print_json(const Result& result, const PrintOptions&) {
  return JsonDocument().text(result);
}

}  // namespace attnlab
