#include "report/expected_forms.h"

#include <algorithm>

#include "report/json_text.h"

namespace attnlab {

ExpectedForms::ExpectedForms(const Result& result, const Table& table) : table_(table) {
  for (const Expectation& one : result.expectations) {
    if (one.table != table.name || !one.expected.is_string()) continue;
    const int index = table.index_of(one.column);
    std::vector<std::size_t> selectors;
    std::string key = std::to_string(index);
    bool is_there = index >= 0;
    for (const auto& [column, value] : one.row.items()) {
      const int selector = table.index_of(column);
      is_there = is_there && selector >= 0;
      selectors.push_back(static_cast<std::size_t>(selector));
      key += '\n' + plain_json(value);
    }
    // A document may expect something of a column that its table lacks: no cell takes that form.
    if (!is_there) continue;
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
