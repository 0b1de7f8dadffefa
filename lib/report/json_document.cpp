#include "report/json_document.h"

#include "report/format.h"

namespace attnlab {
namespace {

void append_member(std::string& out, const std::string& key, const Json& value) {
  out += "  " + plain_json(Json(key)) + ": " + pretty_json(value, 2) + ",\n";
}

}  // namespace

void JsonDocument::add_rows(const Result& result) {
  tables_.resize(result.tables.size());
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    const Table& table = result.tables[i];
    Rows& rows = tables_[i];
    if (!rows.writer) rows.writer.emplace(table);
    for (; rows.count < table.rows.size(); ++rows.count) {
      std::string& text = rows.text.next();
      text += rows.count == 0 ? "\n      " : ",\n      ";
      rows.writer->append(text, table.rows[rows.count]);
    }
  }
}

void JsonDocument::forget_rows(std::size_t table) {
  if (table < tables_.size()) tables_[table] = Rows();
}

void JsonDocument::set_provenance(const Result& result) {
  provenance_.clear();
  append_member(provenance_, "provenance", result.provenance);
}

void JsonDocument::set_head(const Result& result) {
  head_ = "{\n";
  append_member(head_, "schema", kResultSchema);
  append_member(head_, "name", result.name);
  append_member(head_, "status", name_of(result.status));
  if (result.points.total > 0) {
    append_member(head_, "points", {{"done", result.points.done}, {"total", result.points.total}});
  }
  expectations_ = "  \"expectations\": [";
  for (const Expectation& one : result.expectations) {
    expectations_ += (&one == &result.expectations.front() ? "\n    " : ",\n    ") +
                     plain_json(expectation_json(one));
  }
  expectations_ += result.expectations.empty() ? "],\n" : "\n  ],\n";
  tables_.resize(result.tables.size());
  for (std::size_t i = 0; i < result.tables.size(); ++i) {
    const Json head = table_head_json(result.tables[i]);
    std::string& text = tables_[i].head;
    text = "    {";
    for (const auto& [key, value] : head.items()) {
      text += plain_json(Json(key)) + ": " + pretty_json(value, 6) + ",\n     ";
    }
    text += "\"rows\": [";
  }
}

std::vector<std::string_view> JsonDocument::pieces() const {
  std::vector<std::string_view> out{head_, provenance_, expectations_};
  out.emplace_back(tables_.empty() ? "  \"tables\": [" : "  \"tables\": [\n");
  for (const Rows& rows : tables_) {
    if (&rows != &tables_.front()) out.emplace_back(",\n");
    out.emplace_back(rows.head);
    out.insert(out.end(), rows.text.pieces().begin(), rows.text.pieces().end());
    out.emplace_back(rows.count == 0 ? "]}" : "\n    ]}");
  }
  out.emplace_back(tables_.empty() ? "]\n}\n" : "\n  ]\n}\n");
  return out;
}

std::string print_json(const Result& result, const PrintOptions&) {
  JsonDocument document;
  document.add_rows(result);
  document.set_provenance(result);
  document.set_head(result);
  std::string out;
  for (const std::string_view piece : document.pieces()) out += piece;
  return out;
}

bool is_json(std::string_view start, const Result&) { return is_result_document(start); }

bool is_result_document(std::string_view start) {
  return start.find("\"schema\": \"attnlab-result/") < 100;
}

}  // namespace attnlab
