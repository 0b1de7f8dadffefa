// Claims with a figure of speed in them: how much faster the tiled kernel is, from which length on
// attention is impractical, which curve fits a module's time. One thread, taken in turns.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "attention/layer.h"
#include "base/text.h"
#include "experiments/verify_groups.h"
#include "experiments/verify_kernels.h"
#include "experiments/verify_timing.h"
#include "machine/machine.h"
#include "measure/model.h"
#include "measure/resample.h"
#include "report/cell_text.h"

namespace attnlab {
namespace {

constexpr double kSeconds = 8;  // by the clock, of one claim's samples

// The claim names no size of a head, no length and no mask: it must be so for all of these.
void two_to_four(const ClaimContext& context, Findings& out) {
  constexpr double kLow = 2, kHigh = 4;
  const std::vector<std::int64_t> lengths{256, context.longest / 2};
  std::vector<TimedCalls> curves;
  std::vector<std::string> places;
  for (const std::int64_t d : {64, 256}) {
    for (const Causal causal : {Causal::kNone, Causal::kTopLeft}) {
      const auto change = [&](Problem& problem) {
        problem.head_dim = problem.head_dim_v = d;
        problem.causal = causal;
      };
      curves.push_back(kernel_calls(context, "naive", lengths, change));
      curves.push_back(kernel_calls(context, "flash", lengths, change));
      places.push_back(fmt::format("d = {}{}", d, causal == Causal::kNone ? "" : ", causal"));
    }
  }
  const auto times = take_times(context, curves, kSeconds);
  std::string measured;
  std::vector<std::string> outside;
  Truth all_inside = Truth::kYes;
  for (std::size_t kind = 0; kind < places.size(); ++kind) {
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      const Ratio ratio = ratio_of(times[2 * kind][i], times[2 * kind + 1][i], context.seed);
      const std::string place = fmt::format("n = {}, {}", lengths[i], places[kind]);
      const std::string text = with_interval(ratio.value, ratio.interval);
      out.number({.quantity = "time of naive over flash, " + place,
                  .value = ratio.value,
                  .interval = ratio.interval});
      const Truth inside = within(ratio.interval, kLow, kHigh);
      all_inside = both(all_inside, inside);
      if (inside == Truth::kNo) outside.push_back(fmt::format("{} at {}", text, place));
      if (i + 1 < lengths.size()) continue;
      measured += fmt::format("{}{} at {}", measured.empty() ? "" : "; ", text, place);
      if (kind > 1) continue;  // with small heads, whose scores weigh most
      out.core(above(ratio.interval, 1), "flash is faster at " + place,
               fmt::format("flash is not faster at {}: {}", place, text));
    }
  }
  out.wording(all_inside, "flash is 2 to 4 times as fast whatever the head, length and mask",
              fmt::format("a figure of GPUs: on one thread here flash is faster by {}",
                          join(outside, "; ")));
  out.measured(measured);
}

// Seconds of one layer of 12 heads on one thread, from those of a head.
constexpr double kHeads = 12;
constexpr double kPatience = 60;  // seconds of a layer that are still practical

std::string duration_text(double seconds) {
  return seconds < 60 ? fmt::format("{:.2g} s", seconds) : rough_duration(seconds);
}

void impractical(const ClaimContext& context, Findings& out) {
  const std::vector<std::int64_t> lengths = doublings(context.longest / 16, context.longest);
  const auto times = take_times(
      context, {kernel_calls(context, "naive", lengths), kernel_calls(context, "flash", lengths)},
      kSeconds);
  const double available = static_cast<double>(read_machine().available_bytes);
  std::string measured;
  Truth is_hard_somewhere = Truth::kNo, is_hard_said = Truth::kNo;
  std::vector<std::string> said;
  for (std::size_t kind = 0; kind < 2; ++kind) {
    const std::string name = kind == 0 ? "naive" : "flash";
    std::vector<double> n, medians;
    for (const SizedSamples& size : times[kind]) {
      n.push_back(size.n);
      medians.push_back(median(pooled(size.samples)));
    }
    const ModelForm& form = *find_model_form("a n^2 + c n + b");
    const auto fitted = fit_model(form, n, medians);
    for (const std::int64_t at : {8192, 16384, 131072}) {
      const bool is_measured = n.back() == static_cast<double>(at);
      const double seconds =
          kHeads *
          (is_measured ? medians.back() : model_value(form, *fitted, static_cast<double>(at)));
      const double bytes =
          static_cast<double>(context.kernel(name)->workspace(self_attention(1, 1, at, 64), 1));
      const std::string place = fmt::format("{}, {} tokens", name, at);
      out.number({.quantity = "time of a layer of 12 heads, " + place,
                  .value = seconds,
                  .unit = "s",
                  .how = is_measured ? "" : "extrapolated from the fit"});
      out.number({.quantity = "workspace, " + place, .value = bytes, .unit = "B"});
      if (kind == 1 && at != 131072) continue;
      measured += fmt::format("{}{} {}{}, {}", measured.empty() ? "" : "; ", place,
                              is_measured ? "" : "~", duration_text(seconds), size_text(bytes));
      if (kind == 1) continue;
      // What takes longer or more memory than a tenth of the limit away from it is decided.
      const double share = std::max(seconds / kPatience, bytes / available);
      const Truth is_hard = above({share / 1.1, share * 1.1}, 1);
      if (at == 131072) {
        is_hard_somewhere = is_hard;
      } else {
        if (at == 16384) is_hard_said = is_hard;
        said.push_back(fmt::format("{}{} for a layer of {} tokens", is_measured ? "" : "about ",
                                   duration_text(seconds), at));
      }
    }
  }
  out.core(is_hard_somewhere,
           "naive attention over 128k tokens takes over a minute a layer or all memory",
           "even 128k tokens take less than a minute a layer, and fit the memory");
  out.wording(is_hard_said, "16k tokens take over a minute a layer or all memory",
              fmt::format("here naive attention takes {} on one thread; the memory of the scores "
                          "grows as n^2, that of flash does not",
                          join(said, ", ")));
  out.measured(measured);
}

// Multi-head attention with its projections, on random numbers.
class Module {
 public:
  Module(const Kernel& kernel, std::int64_t n, std::int64_t width, std::int64_t heads,
         std::uint64_t seed)
      : x_(normals(n * width, seed, 0)),
        out_(x_.size()),
        layer_(kernel, {self_attention(1, heads, n, width / heads), width, 0}, 1) {
    for (std::uint64_t i = 0; i < 4; ++i) {
      std::vector<float>& weights = weights_.emplace_back(normals(width * width, seed, 1 + i));
      for (float& weight : weights) weight /= std::sqrt(static_cast<float>(width));
    }
    given_.w_q = weights_[0].data();
    given_.w_k = weights_[1].data();
    given_.w_v = weights_[2].data();
    given_.w_o = weights_[3].data();
  }
  void run(ThreadTeam& team) { layer_.run(given_, x_.data(), x_.data(), out_.data(), team); }

 private:
  std::vector<float> x_, out_;
  std::vector<std::vector<float>> weights_;
  LayerWeights given_;
  Layer layer_;
};

void quadratic_fit(const ClaimContext& context, Findings& out) {
  TimedCalls module{"module", {}};
  for (const std::int64_t n : doublings(64, 1024)) {
    auto one = std::make_shared<Module>(*context.kernel("naive"), n, 256, 4, context.seed);
    module.calls.push_back({static_cast<double>(n), [one](ThreadTeam& team) { one->run(team); }});
  }
  const std::vector<SizedSamples> sizes = take_times(context, {std::move(module)}, kSeconds)[0];
  std::vector<double> n, medians;
  for (const SizedSamples& size : sizes) {
    n.push_back(size.n);
    medians.push_back(median(pooled(size.samples)));
  }
  const ModelForm& said = *find_model_form("a n^2 + b");
  const ModelForm& full = *find_model_form("a n^2 + c n + b");
  const ModelCoefficients of_said = *fit_model(said, n, medians),
                          of_full = *fit_model(full, n, medians);
  double largest_said = 0, largest_full = 0;
  for (std::size_t i = 0; i < n.size(); ++i) {
    const auto off = [&](const ModelForm& form, const ModelCoefficients& coefficients) {
      return 100 * std::abs(model_value(form, coefficients, n[i]) / medians[i] - 1);
    };
    largest_said = std::max(largest_said, off(said, of_said));
    largest_full = std::max(largest_full, off(full, of_full));
  }
  // The linear term, in every bootstrap replicate.
  std::vector<double> linear;
  const MedianReplicates replicates(sizes, context.seed, 0);
  for (std::size_t r = 0; r < replicates.size(); ++r) {
    if (const auto one = fit_model(full, n, replicates[r])) linear.push_back(one->c.value_or(0));
  }
  const Interval c = linear.empty() ? Interval{-HUGE_VAL, HUGE_VAL}
                                    : percentile_interval(linear, replicates.processes());
  const double said_c = of_full.c.value_or(0);
  out.number({.quantity = "largest error of a n^2 + b", .value = largest_said, .unit = "%"});
  out.number({.quantity = "largest error of a n^2 + c n + b", .value = largest_full, .unit = "%"});
  out.number({.quantity = "c, the linear term", .value = said_c, .unit = "s", .interval = c});
  out.number({.quantity = "n at which both terms are equal",
              .value = said_c / of_full.a.value_or(1),
              .how = "by multiply-adds 2D = 512"});
  // The quadratic term is there, and most of the longest time is in the form that is claimed.
  out.core(truth_of(of_full.a.value_or(0) > 0 && of_said.a.value_or(0) > 0), "",
           "the time has no quadratic term");
  out.wording(
      above(c, 0) == Truth::kYes  ? Truth::kNo
      : above(c, 0) == Truth::kNo ? Truth::kYes
                                  : Truth::kUnknown,
      "the module's time has no linear term",
      fmt::format("it lacks the linear term of the projections: off by up to {:.0f} %, with "
                  "that term by {:.1f} %",
                  largest_said, largest_full));
  out.measured(fmt::format("a n^2 + b off by {:.0f} %, a n^2 + c n + b by {:.1f} %", largest_said,
                           largest_full));
}

}  // namespace

void add_speed_claims(std::vector<Claim>& out) {
  using K = ClaimKind;
  using V = ClaimVerdict;
  out.push_back({"impractical-past-8k", "contexts past 8k-16k are impractical without optimisation",
                 "explainer", K::kTimed,
                 "time of a layer of 12 heads and memory of the scores at 8k, 16k, 128k, from the "
                 "fit where it is too long; practical: under a minute, and within the memory",
                 V::kImprecise, "say what time and memory 8k, 16k and 128k take, naive and tiled",
                 12, impractical});
  out.push_back(
      {"flash-2-to-4", "FlashAttention is 2 to 4 times faster", "explainer", K::kTimed,
       "time of naive over that of flash: two lengths, heads of 64 and 256, full and causal",
       V::kImprecise, "a GPU figure; print the ratio to the three-step kernel with its interval",
       10, two_to_four});
  out.push_back(
      {"quadratic-plus-constant", "t = a n^2 + b fits the module's time", "explainer", K::kTimed,
       "multi-head attention (D = 256, 4 heads, n = 64 ... 1024): both fits, and the "
       "interval of the linear term",
       V::kImprecise, "lacks the linear term of the projections; compare with a n^2 + c n + b", 8,
       quadratic_fit});
}

}  // namespace attnlab
