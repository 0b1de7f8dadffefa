#include "report/expected_forms.h"

#include <algorithm>

#include "base/check.h"
#include "report/json_text.h"

namespace attnlab {
namespace {

std::size_t index_in(const Table& table, const std::string& column) {
  const int index = table.index_of(column);
  ATTNLAB_CHECK(index >= 0);
  return static_cast<std::size_t>(index);
}

}  // namespace

ExpectedForms::ExpectedForms(const Result& result, const Table& table) : table_(table) {
  for (const Expectation& one : result.expectations) {
    if (one.table != table.name || !one.expected.is_string()) continue;
    std::vector<std::size_t> selectors;
    std::string key = std::to_string(index_in(table, one.column));
    for (const auto& [column, value] : one.row.items()) {
      selectors.push_back(index_in(table, column));
      key += '\n' + plain_json(value);
    }
    auto group = std::find_if(groups_.begin(), groups_.end(),
                              [&](const Group& g) { return g.selectors == selectors; });
    if (group == groups_.end()) group = groups_.insert(group, {selectors, {}});
    group->forms.emplace(std::move(key), one.expected.get<std::string>());
  }
}

std::optional<std::string> ExpectedForms::of(std::size_t row, std::size_t column) const {
  for (const Group& group : groups_) {
    std::string key = std::to_string(column);
    for (const std::size_t selector : group.selectors) {
      key += '\n' + plain_json(cell_json(table_.rows[row].cells[selector]));
    }
    if (const auto found = group.forms.find(key); found != group.forms.end()) return found->second;
  }
  return std::nullopt;
}

}  // namespace attnlab
