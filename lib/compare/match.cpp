#include "compare/match.h"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

namespace attnlab {
namespace {

constexpr const char* kIsa = "isa";

// The texts of those parameters that both tables have; what a row is found by.
class Keys {
 public:
  Keys(const Table& table, const Table& other, bool with_isa) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const std::string& name = table.columns[i].name;
      const int there = other.index_of(name);
      const bool is_shared = there >= 0 && table.columns[i].kind == ColumnKind::kParameter;
      if (is_shared && (with_isa || name != kIsa)) indices_.push_back(i);
    }
    // The same order whatever that of the columns.
    std::sort(indices_.begin(), indices_.end(),
              [&](auto a, auto b) { return table.columns[a].name < table.columns[b].name; });
  }
  std::string of(const Row& row) const {
    std::string out;
    for (const std::size_t index : indices_) out += cell_text(row.cells[index]) + '\0';
    return out;
  }

 private:
  std::vector<std::size_t> indices_;
};

using RowsByKey = std::unordered_map<std::string, std::deque<const Row*>>;

RowsByKey rows_by_key(const std::vector<const Row*>& rows, const Keys& keys) {
  RowsByKey out;
  for (const Row* row : rows) out[keys.of(*row)].push_back(row);
  return out;
}

// Gives the rows without a partner one of another instruction set.
void match_across_isas(TablePair& pair) {
  std::vector<const Row*> base, now;
  for (const RowPair& row : pair.rows) {
    if (row.now == nullptr) base.push_back(row.base);
    if (row.base == nullptr) now.push_back(row.now);
  }
  const Keys of_base(*pair.base, *pair.now, false), of_now(*pair.now, *pair.base, false);
  const RowsByKey base_rows = rows_by_key(base, of_base), now_rows = rows_by_key(now, of_now);
  std::unordered_set<const Row*> taken;
  for (RowPair& row : pair.rows) {
    if (row.base == nullptr || row.now != nullptr) continue;
    const auto found = now_rows.find(of_base.of(*row.base));
    const bool is_one_each = found != now_rows.end() && found->second.size() == 1 &&
                             base_rows.at(found->first).size() == 1;
    if (is_one_each) taken.insert(row.now = found->second.front());
  }
  std::erase_if(pair.rows,
                [&](const RowPair& row) { return row.base == nullptr && taken.contains(row.now); });
}

void match_rows(TablePair& pair, bool across_isas) {
  const Keys of_base(*pair.base, *pair.now, true), of_now(*pair.now, *pair.base, true);
  std::vector<const Row*> rows;
  for (const Row& row : pair.now->rows) rows.push_back(&row);
  RowsByKey left = rows_by_key(rows, of_now);
  for (const Row& row : pair.base->rows) {
    const auto found = left.find(of_base.of(row));
    const bool is_there = found != left.end() && !found->second.empty();
    pair.rows.push_back({&row, is_there ? found->second.front() : nullptr});
    if (is_there) found->second.pop_front();
  }
  std::unordered_set<const Row*> alone;
  for (const auto& [key, these] : left) alone.insert(these.begin(), these.end());
  for (const Row* row : rows) {
    if (alone.contains(row)) pair.rows.push_back({nullptr, row});
  }
  if (across_isas) match_across_isas(pair);
}

}  // namespace

bool is_compared(const Table& table) {
  return std::any_of(table.columns.begin(), table.columns.end(), [](const Column& column) {
    return column.kind == ColumnKind::kExact || column.kind == ColumnKind::kMeasured ||
           column.kind == ColumnKind::kTimed;
  });
}

std::vector<TablePair> matched_tables(const Result& base, const Result& now, bool across_isas) {
  std::vector<TablePair> out;
  for (const Table& table : base.tables) {
    if (!is_compared(table)) continue;
    TablePair& pair = out.emplace_back(TablePair{&table, now.find(table.name)});
    if (pair.now != nullptr) match_rows(pair, across_isas);
  }
  for (const Table& table : now.tables) {
    if (is_compared(table) && base.find(table.name) == nullptr) out.push_back({nullptr, &table});
  }
  return out;
}

std::string parameters_text(const Table& table, const Row& row) {
  std::string out;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].kind != ColumnKind::kParameter) continue;
    out += (out.empty() ? "" : " ") + table.columns[i].name + "=" + cell_text(row.cells[i]);
  }
  return out;
}

}  // namespace attnlab
