#include "random/dot_product.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include "base/check.h"
#include "random/law_draw.h"
#include "random/mulberry32.h"
#include "random/philox.h"

namespace attnlab {
namespace {

// The uniforms of one Philox stream one after the other.
class PhiloxSource {
 public:
  PhiloxSource(Philox::Key key, std::uint64_t sample)
      : key_(key),
        counter_{static_cast<std::uint32_t>(sample), static_cast<std::uint32_t>(sample >> 32), 0,
                 0} {}

  double uniform() { return static_cast<double>(word()) / 4294967296.0; }
  double positive_uniform() { return (static_cast<double>(word()) + 0.5) / 4294967296.0; }
  double normal() {
    const double u = positive_uniform();
    return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  std::uint32_t word() {
    if (used_ == 4) {
      block_ = Philox::block(counter_, key_);
      ++counter_[2];
      used_ = 0;
    }
    return block_[used_++];
  }

  Philox::Key key_;
  Philox::Counter counter_;
  Philox::Block block_{};
  std::size_t used_ = 4;
};

template <class Source>
double dot_product(const DotProductSettings& s, Source& source) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < s.d; ++i) {
    const double q = s.mean_q + draw(s.law, s.df, source);
    const double k = s.tied ? q : s.mean_k + draw(s.law, s.df, source);
    sum += q * k;
  }
  return sum;
}

}  // namespace

std::span<const std::string_view> choice_names(Rng) {
  static constexpr std::string_view kNames[] = {"philox", "mulberry32"};
  return kNames;
}

void draw_dot_products(const DotProductSettings& s, std::int64_t first, std::span<double> out,
                       Isa /*isa*/) {
  ATTNLAB_CHECK(s.d >= 1 && first >= 0);
  if (s.rng == Rng::kMulberry32) {
    const std::int64_t uniforms = s.d * (s.tied ? 1 : 2) * uniforms_per_component(s.law);
    Mulberry32 source(s.seed,
                      static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(uniforms));
    for (double& value : out) value = dot_product(s, source);
    return;
  }
  const Philox::Key key = Philox::stream_key(s.seed, 1, static_cast<std::uint32_t>(s.law),
                                             static_cast<std::uint64_t>(s.d));
  for (std::size_t i = 0; i < out.size(); ++i) {
    PhiloxSource source(key, static_cast<std::uint64_t>(first) + i);
    out[i] = dot_product(s, source);
  }
}

CentralMoments sample_dot_products(const DotProductSettings& settings, std::int64_t samples,
                                   ThreadTeam& team, Watch& watch, Isa isa) {
  // Chunks and waves depend on the settings alone, and parts are merged in order of samples.
  constexpr std::int64_t kWave = 64;
  const std::int64_t chunk = std::clamp<std::int64_t>((1 << 18) / settings.d, 64, 16384);
  const std::int64_t chunks = (samples + chunk - 1) / chunk;
  std::vector<CentralMoments> parts(kWave);
  std::vector<std::vector<double>> values(static_cast<std::size_t>(team.threads()));
  for (auto& buffer : values) buffer.resize(static_cast<std::size_t>(chunk));
  CentralMoments all;
  for (std::int64_t begin = 0; begin < chunks && !watch.stopped(); begin += kWave) {
    const std::int64_t count = std::min(kWave, chunks - begin);
    team.run(count, [&](std::int64_t task, int worker) {
      const std::int64_t first = (begin + task) * chunk;
      const std::span<double> out(values[static_cast<std::size_t>(worker)].data(),
                                  static_cast<std::size_t>(std::min(chunk, samples - first)));
      draw_dot_products(settings, first, out, isa);
      parts[static_cast<std::size_t>(task)] = CentralMoments::of(out);
    });
    for (std::int64_t task = 0; task < count; ++task) {
      all.merge(parts[static_cast<std::size_t>(task)]);
    }
    watch.progress(static_cast<double>(begin + count) / static_cast<double>(chunks));
  }
  return all;
}

}  // namespace attnlab
