#include "compare/thresholds.h"

#include <algorithm>
#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr const char* kPlace = "--threshold";

double share_of(const std::string& text, const std::string& whole) {
  const bool is_percent = text.ends_with('%');
  const auto number = number_from_text(is_percent ? text.substr(0, text.size() - 1) : text);
  const double share = number.value_or(-1) / (is_percent ? 100 : 1);
  // A bare 5 is more likely 5 % than five times as slow, which no gate would be for.
  if (share >= 0 && (is_percent ? share <= 10 : share < 1)) return share;
  throw UserError(kPlace, printable(whole) + " is no threshold",
                  "give percent or a share below 1, 5% or 0.05; of a kernel or column, flash=3%");
}

}  // namespace

Thresholds::Thresholds(const std::vector<std::string>& texts) {
  bool has_general = false;
  for (const std::string& text : texts) {
    const std::size_t equals = text.rfind('=');
    const bool is_named = equals != std::string::npos;
    const double share = share_of(is_named ? text.substr(equals + 1) : text, text);
    const bool is_first = is_named ? named_.emplace(text.substr(0, equals), share).second
                                   : !std::exchange(has_general, true);
    if (!is_first)
      throw UserError(kPlace, printable(text) + " is given besides another", "keep one");
    if (!is_named) general_ = share;
  }
}

double Thresholds::of(const Table& table, const Row& row, const std::string& column) {
  std::optional<double> smallest;
  const auto look_up = [&](const std::string& name) {
    const auto found = named_.find(name);
    if (found == named_.end()) return;
    used_.insert(name);
    smallest = std::min(smallest.value_or(found->second), found->second);
  };
  look_up(column);
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const auto* text = std::get_if<std::string>(&row.cells[i]);
    if (table.columns[i].kind == ColumnKind::kParameter && text != nullptr) look_up(*text);
  }
  return smallest.value_or(general_);
}

void Thresholds::check_all_used() const {
  for (const auto& [name, share] : named_) {
    if (used_.contains(name)) continue;
    throw UserError(kPlace, "no timed row has a kernel, parameter or column " + printable(name),
                    "name one that both results have");
  }
}

}  // namespace attnlab
