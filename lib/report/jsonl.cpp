// JSON Lines: one row a line, its table's name first.
#include <fmt/format.h>

#include "report/format.h"
#include "report/json_text.h"

namespace attnlab {

std::string print_jsonl(const Result& result, const PrintOptions& options) {
  std::string out;
  for (const Table& table : result.tables) {
    if (!options.table.empty() && &table != &chosen_table(result, options)) continue;
    const RowWriterJson writer(table,
                               fmt::format("\"table\":{}{}", plain_json(Json(table.name)),
                                           table.columns.empty() ? "" : ","),
                               "table");
    for (const Row& row : table.rows) {
      writer.append(out, row);
      out += '\n';
    }
  }
  return out;
}

bool is_jsonl(std::string_view start, const Result&) { return start.starts_with("{\"table\":\""); }

}  // namespace attnlab
