#include "experiments/inspect_notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number.h"
#include "base/text.h"
#include "experiments/inspect_tables.h"

namespace attnlab {
namespace {

std::string counted(std::int64_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

// "1 row is", "3 rows are"
std::string counted_are(std::int64_t count, const char* thing) {
  return counted(count, thing) + (count == 1 ? " is" : " are");
}

std::string remedy_of(const InspectPoint& point, double d) {
  const double usual = 1 / std::sqrt(d);
  if (std::abs(point.scale.factor(d)) > 1.001 * usual) {
    return fmt::format("multiply the scores by 1/sqrt(d) = {:.4g} (--scale sqrt)", usual);
  }
  if (point.temperature < 1) return "raise the temperature to 1 (--temperature 1)";
  return "normalise q and k before their product, or raise the temperature (--temperature 2)";
}

std::string shape_note(const InspectSettings& settings, const InspectPoint& point,
                       const OperandSource& source, bool is_plain) {
  const OperandShape& s = source.shape();
  std::string heads = counted(s.heads, s.kv_heads == s.heads ? "head" : "query head");
  if (s.kv_heads != s.heads) heads += " on " + counted(s.kv_heads, "key head");
  std::string out =
      settings.input() == InspectInput::kWords
          ? (s.nq == 1 ? "1 word attends to itself"
                       : counted(s.nq, "word") + " attend to each other")
          : fmt::format("{}, {} and {}", heads, counted(s.nq, "query"), counted(s.nk, "key"));
  for (std::size_t at = out.find("querys"); at != std::string::npos; at = out.find("querys")) {
    out.replace(at, 6, "queries");
  }
  if (settings.axes().empty()) {
    out +=
        fmt::format("; d = {}, scale {:.4g}, temperature {}", s.d,
                    point.scale.factor(static_cast<double>(s.d)), number_text(point.temperature));
  }
  return out + (is_plain ? "; computed in float64." : "; streamed in float32.");
}

}  // namespace

void SaturatedHeads::add(const ReadoutSums& sums, const std::vector<std::string_view>& flags,
                         std::int64_t batch, std::int64_t head) {
  ++heads;
  if (std::find(flags.begin(), flags.end(), "saturated") == flags.end()) return;
  if (saturated++ > 0) return;
  first_batch = batch;
  first_head = head;
  first = sums.readouts();
}

std::string flags_of_all(const std::vector<std::vector<std::string_view>>& heads) {
  std::vector<std::string> out;
  for (const FlagRule& rule : flag_rules()) {
    const auto count = std::count_if(heads.begin(), heads.end(), [&](const auto& flags) {
      return std::find(flags.begin(), flags.end(), rule.name) != flags.end();
    });
    if (count == 0) continue;
    const bool all = static_cast<std::size_t>(count) == heads.size();
    out.push_back(all ? std::string(rule.name)
                      : fmt::format("{} {}/{}", rule.name, count, heads.size()));
  }
  return join(out, ", ");
}

std::string missing_reason(const Readouts& readouts, const InspectPoint& point) {
  if (readouts.rows == 0) {
    return readouts.nonfinite_rows > 0 ? "no query has finite weights" : "no query sees a key";
  }
  std::string out;
  if (std::isnan(readouts.spread)) {
    out = point.temperature == 0 ? "spread: infinite at temperature 0" : "spread: beyond float64";
  }
  if (std::isnan(readouts.sink_mass)) {
    out += std::string(out.empty() ? "" : "; ") + "sink_mass: no query sees key 0";
  }
  return out;
}

std::string pooling_note(std::int64_t queries, std::int64_t keys) {
  return fmt::format(
      "Pooled: a cell is {} by {}, the sum of the weights of its keys, mean over its queries.",
      queries == 1 ? "1 query" : fmt::format("{} queries", queries), counted(keys, "key"));
}

std::vector<std::string> point_notes(const InspectSettings& settings, const InspectPoint& point,
                                     const OperandSource& source, bool is_plain,
                                     const SaturatedHeads& saturated, const SpoiledRows& spoiled) {
  std::vector<std::string> out{shape_note(settings, point, source, is_plain)};
  const OperandShape& shape = source.shape();
  const std::string axes = point_text(settings, point);
  std::string where = axes.empty() ? "" : axes + ": ";
  if (settings.file) where = fmt::format("Layer {}: ", cell_text(source.layer())) + where;
  if (settings.input() == InspectInput::kRandom && shape.nq <= 64 && shape.heads == 1) {
    out.push_back(
        fmt::format("Output shape ({}, {}), weights ({}, {}); each row of weights sums to 1.",
                    shape.nq, *shape.dv, shape.nq, shape.nk));
  }
  if (saturated.saturated > 0) {
    std::string who = "the softmax is saturated";
    if (saturated.heads > 1) {
      who = fmt::format("{} of {} heads are saturated, first head {}", saturated.saturated,
                        saturated.heads, saturated.first_head);
      if (shape.batch > 1) who += fmt::format(" of sequence {}", saturated.first_batch);
    }
    out.push_back(fmt::format(
        "Warning: {}{}: the largest weight of a row is {:.3f} on average, max p(1-p) {:.4f} (below "
        "{}), so hardly any gradient passes. Remedy: {}.",
        where, who, saturated.first.mean_max_weight, saturated.first.mean_gradient_scale,
        kSaturatedGradient, remedy_of(point, static_cast<double>(shape.d))));
  }
  if (spoiled.beyond > 0) {
    out.push_back(fmt::format(
        "Warning: {}{} beyond float32, in which heads of this length are streamed: Inf, first in "
        "{}. Remedy: scale the tensors down.",
        where, counted_are(spoiled.beyond, "finite number"), spoiled.first_nonfinite));
  }
  if (spoiled.nonfinite > spoiled.beyond) {
    out.push_back(
        fmt::format("Warning: {}NaN or Inf, first in {}.", where, spoiled.first_nonfinite));
  }
  if (!spoiled.mask_warning.empty()) {
    out.push_back(fmt::format("Warning: {}{}.", where, spoiled.mask_warning));
  }
  if (spoiled.nonfinite_rows > 0) {
    const bool overflows = spoiled.nonfinite == 0 && spoiled.mask_warning.empty();
    out.push_back(fmt::format(
        "{}{} left out of all means: queries without finite weights{}.", where,
        counted_are(spoiled.nonfinite_rows, "row"),
        overflows ? std::string(", whose scores are beyond ") + (is_plain ? "float64" : "float32")
                  : ""));
  }
  if (spoiled.masked_rows > 0) {
    out.push_back(fmt::format("{}{} left out of all means: queries that see no key.", where,
                              counted_are(spoiled.masked_rows, "row")));
  }
  return out;
}

}  // namespace attnlab
