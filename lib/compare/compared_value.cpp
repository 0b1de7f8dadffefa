#include "compare/compared_value.h"

#include "base/choice.h"

namespace attnlab {

std::span<const std::string_view> choice_names(ChangeVerdict) {
  static constexpr std::string_view kNames[kChangeVerdicts] = {
      "same", "improved", "regressed", "inconclusive", "missing", "extra"};
  return kNames;
}

std::vector<Column> compared_columns() {
  using K = ColumnKind;
  Column ratio{"ratio", "new / base", K::kDerived};
  ratio.interval_low = "ratio_low";
  ratio.interval_high = "ratio_high";
  return {{"experiment", "that made the table", K::kParameter},
          {"table", "that the row is in", K::kParameter},
          {"parameters", "that find the row", K::kParameter},
          {"column", "that is compared; null: the whole row", K::kParameter},
          {"unit", "of base and new", K::kDerived},
          {"base", "value of the old result; of times the median", K::kDerived},
          {"new", "value of the new result; of times the median", K::kDerived},
          ratio,
          {"ratio_low", "lower end of its 95 % interval, of times", K::kDerived},
          {"ratio_high", "upper end of its 95 % interval, of times", K::kDerived},
          {"p", "of no change beyond the threshold; adjusted by Holm for all times", K::kDerived},
          {"verdict", "same, improved, regressed, inconclusive, missing or extra", K::kDerived},
          {"reason", "what the verdict rests on, and what to do", K::kDerived}};
}

void add_compared(const ComparedValue& value, Table& table) {
  const auto text_or_null = [](const std::string& text) {
    return text.empty() ? Cell() : Cell(text);
  };
  const auto number_or_null = [](const std::optional<double>& number) {
    return number ? Cell(*number) : Cell();
  };
  table.add_row()
      .set("experiment", value.experiment)
      .set("table", value.table)
      .set("parameters", value.parameters)
      .set("column", text_or_null(value.column))
      .set("unit", text_or_null(value.unit))
      .set("base", value.base)
      .set("new", value.now)
      .set("ratio", number_or_null(value.ratio))
      .set("ratio_low", number_or_null(value.ratio_low))
      .set("ratio_high", number_or_null(value.ratio_high))
      .set("p", number_or_null(value.p))
      .set("verdict", choice_name(value.verdict))
      .set("reason", text_or_null(value.reason));
}

}  // namespace attnlab
