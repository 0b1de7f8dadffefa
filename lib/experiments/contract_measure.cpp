#include "experiments/contract_measure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "machine/isa.h"
#include "machine/peak.h"
#include "measure/sampler.h"
#include "random/fill.h"
#include "tensor/contraction_run.h"

namespace attnlab {
namespace {

constexpr std::int64_t kProbeRounds = 400'000;       // about a millisecond
constexpr std::int64_t kCheckedTerms = 200'000'000;  // products that the check takes, at most
constexpr std::int64_t kLeastProbes = 10;
constexpr std::uint64_t kSeed = 1;

// Holds elements spread over the whole result, the first and the last among them, against plain
// loops. A sum of t products p in float32 is off by t 2^-24 sum |p| at most, whatever its order
// (Higham, Accuracy and Stability of Numerical Algorithms, 2002, section 3.1), and half as much
// again for the products of several operands.
void check(const Contraction& contraction, std::span<const float* const> operands,
           const float* result, ContractTiming& out) {
  const std::int64_t elements = contraction.elements;
  const PlainElement first = plain_element(contraction, operands, 0);
  const std::int64_t most =
      std::clamp<std::int64_t>(kCheckedTerms / first.terms, 2, kCheckedElements);
  out.checked = std::min(elements, most);
  for (std::int64_t i = 0; i < out.checked; ++i) {
    const auto share = static_cast<long double>(i) / std::max<long double>(1, out.checked - 1);
    const auto element =
        static_cast<std::int64_t>(std::llround(share * static_cast<long double>(elements - 1)));
    const PlainElement plain = plain_element(contraction, operands, element);
    const double off = std::abs(static_cast<double>(result[element]) - plain.value);
    const double factors = static_cast<double>(plain.terms) + 2.0 * std::ssize(operands);
    const double allowed = factors * 0x1p-24 * plain.magnitude + 1e-37;
    out.max_error = std::max(out.max_error, off);
    if (off <= allowed) continue;
    out.status = "failed";
    out.reason = fmt::format("element {} is off by {:.3g}, float32 sums lose {:.3g} at most",
                             element, off, allowed);
    return;
  }
}

}  // namespace

ContractTiming measure_contraction(const Contraction& contraction, const ContractionPlan& plan,
                                   std::int64_t repeats, ThreadTeam& team, Watch& watch) {
  std::vector<AlignedBuffer> buffers;
  std::vector<const float*> operands;
  for (std::size_t o = 0; o < contraction.operands.size(); ++o) {
    const std::int64_t size = contraction.size(o);
    buffers.emplace_back(size * 4);
    fill_random({buffers.back().as<float>(), static_cast<std::size_t>(size)},
                {.seed = kSeed, .stream = o});
    operands.push_back(buffers.back().as<float>());
  }
  const AlignedBuffer result(contraction.elements * 4);
  std::fill_n(result.as<float>(), contraction.elements, std::numeric_limits<float>::quiet_NaN());
  ContractionRunner<float> runner(contraction, plan);
  ContractTiming out;
  runner.run(operands, result.as<float>(), team);
  check(contraction, operands, result.as<float>(), out);
  if (out.status != "ok") return out;
  const std::vector<Subject> subjects{
      {[&] { runner.run(operands, result.as<float>(), team); },
       [&] { return run_peak_probe(simd_isas().back(), kProbeRounds, team); }}};
  SteadyClock clock;
  std::vector<Series> series = take_samples(subjects, {.repeats = repeats}, clock, watch);
  if (watch.stopped()) return out;
  out.samples = std::move(series.front().samples);
  out.seconds = median(out.samples);
  out.interval = median_interval({out.samples}, kSeed);
  out.peak = series.front().peak;
  // One probe in few samples may have been disturbed: the best of several is the peak.
  for (std::int64_t i = repeats; i < kLeastProbes; ++i) {
    const double start = clock.now();
    const double work = run_peak_probe(simd_isas().back(), kProbeRounds, team);
    out.peak = std::max(out.peak, work / (clock.now() - start));
  }
  return out;
}

double measured_bytes(const Contraction& contraction, const ContractionPlan& plan) {
  double elements = static_cast<double>(contraction.elements_moved());
  for (const ContractionStep& step : plan.steps) {
    for (const auto& parts : {std::vector{&step.batch, &step.rows, &step.summed},
                              std::vector{&step.batch, &step.columns, &step.summed},
                              std::vector{&step.batch, &step.rows, &step.columns}}) {
      double size = 1;
      for (const auto* part : parts) size *= static_cast<double>(size_of(contraction, *part));
      elements += size;
    }
  }
  return 4 * elements;
}

}  // namespace attnlab
