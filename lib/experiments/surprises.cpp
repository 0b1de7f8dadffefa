// What is surprising of the rows of an experiment, in words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "experiments/explanations.h"
#include "experiments/figures.h"
#include "experiments/verify_claim.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostLetters = 240;

template <class... Values>
std::string sentence(const LocalText& text, Language language, const Values&... values) {
  return fmt::format(fmt::runtime(text.in(language)), values...);
}

// Both texts' variance: three standard errors are seen in one of 370 runs.
void add_variance(const Table& table, Language language, std::vector<Surprise>& out) {
  constexpr double kFar = 3;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto z = number_in(table, table.rows[i], "z");
    if (!z || std::abs(*z) <= kFar || table.base_name == "scaled") continue;
    out.push_back({sentence({"at d = {} the variance is {:.1f} standard errors from theory",
                             "при d = {} дисперсия отстоит от теории на {:.1f} стандартных ошибок"},
                            language, text_in(table, table.rows[i], "d"), std::abs(*z)),
                   i});
  }
}

// A single run among many of its design: what lies outside 10..90 %, and a gradient that goes the
// other way than on average.
void add_entropy(const Table& table, Language language, std::vector<Surprise>& out) {
  constexpr double kRareBelow = 10, kRareAbove = 90;
  const auto number = [&](std::size_t row, const std::string& column) {
    return number_in(table, table.rows[row], column);
  };
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string scale = text_in(table, table.rows[i], "scale");
    std::vector<std::string> rare;
    for (const char* name : {"spread", "entropy", "max_weight", "gradient_scale"}) {
      const auto place = number(i, std::string(name) + "_percentile");
      if (place && (*place < kRareBelow || *place > kRareAbove)) {
        rare.push_back(fmt::format("{}: {:.1f} %", name, *place));
      }
    }
    if (!rare.empty()) {
      out.push_back(
          {sentence({"the run with scale {} is atypical of its design; its percentiles: {}",
                     "запуск с масштабом {} нетипичен для своей постановки; его процентили: {}"},
                    language, scale, join(rare, ", ")),
           i});
    }
    if (i == 0) continue;
    const auto from = number(i - 1, "gradient_scale"), to = number(i, "gradient_scale");
    const auto mean_from = number(i - 1, "gradient_scale_mean"),
               mean_to = number(i, "gradient_scale_mean");
    const bool is_same_row =
        text_in(table, table.rows[i - 1], "d") == text_in(table, table.rows[i], "d") &&
        text_in(table, table.rows[i - 1], "keys") == text_in(table, table.rows[i], "keys") &&
        text_in(table, table.rows[i - 1], "temperature") ==
            text_in(table, table.rows[i], "temperature");
    if (!is_same_row || !from || !to || !mean_from || !mean_to) continue;
    if ((*to < *from) == (*mean_to < *mean_from)) continue;
    out.push_back({sentence({"from scale {} to {} the gradient scale goes from {:.3f} to {:.3f} in "
                             "this run, on average from {:.3f} to {:.3f}",
                             "от масштаба {} к {} мера градиента идёт от {:.3f} к {:.3f} в этом "
                             "запуске, а в среднем от {:.3f} к {:.3f}"},
                            language, text_in(table, table.rows[i - 1], "scale"), scale, *from, *to,
                            *mean_from, *mean_to),
                   i});
  }
}

void add_claims(const Table& table, Language language, std::vector<Surprise>& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string verdict = text_in(table, table.rows[i], "verdict");
    if (verdict != "does not hold" && verdict != "imprecise" && verdict != "inconclusive") continue;
    const LocalText words = verdict == "does not hold" ? LocalText{"does not hold", "не верно"}
                            : verdict == "imprecise"
                                ? LocalText{"imprecise", "неточно"}
                                : LocalText{"inconclusive here", "здесь не решено"};
    const std::string name = text_in(table, table.rows[i], "claim");
    const Claim* claim = find_claim(name);
    out.push_back({sentence({"“{}”: {} ({})", "«{}»: {} ({})"}, language,
                            claim == nullptr ? name : std::string(claim->says), words.in(language),
                            printable(text_in(table, table.rows[i], "reason"), kMostLetters)),
                   i});
  }
}

// The parameters of a row that tell heads and settings apart: "scale=none head=3".
std::string place_of(const Table& table, const Row& row) {
  std::vector<std::string> parts;
  for (const Column& column : table.columns) {
    const std::string value = text_in(table, row, column.name);
    const bool tells = column.name != "batch" && column.name != "layer";
    if (column.kind == ColumnKind::kParameter && tells && !value.empty()) {
      parts.push_back(column.name + "=" + value);
    }
  }
  return join(parts, " ");
}

// The saturated heads; of many the first, the table has the others.
void add_inspect(const Table& table, Language language, std::vector<Surprise>& out) {
  if (table.index_of("flags") < 0 || table.index_of("head") < 0) return;
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const Row& row = table.rows[i];
    const bool is_saturated = text_in(table, row, "flags").find("saturated") != std::string::npos;
    if (!is_saturated || text_in(table, row, "head") == "all") continue;
    out.push_back({sentence({"the softmax is saturated ({}): hardly any gradient goes through it",
                             "softmax насыщен ({}): градиент через него почти не проходит"},
                            language, place_of(table, row)),
                   i});
    return;
  }
}

void add_fits(const Table& table, Language language, std::vector<Surprise>& out) {
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const std::string warning = text_in(table, table.rows[i], "warning");
    if (warning.empty() || text_in(table, table.rows[i], "preferred") != "true") continue;
    out.push_back(
        {sentence({"the fit of {} is doubtful: {}", "подгонка для {} сомнительна: {}"}, language,
                  text_in(table, table.rows[i], "kernel"), printable(warning, kMostLetters)),
         i});
  }
}

}  // namespace

std::vector<Surprise> surprises_of(const Table& table, Language language) {
  std::vector<Surprise> out;
  if (table.experiment == "variance") add_variance(table, language, out);
  if (table.experiment == "entropy") add_entropy(table, language, out);
  if (table.experiment == "inspect") add_inspect(table, language, out);
  if (table.experiment == "verify") add_claims(table, language, out);
  if (table.experiment == "sweep" && table.index_of("warning") >= 0) {
    add_fits(table, language, out);
  }
  return out;
}

}  // namespace attnlab
