#include "random/dot_product.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/check.h"
#include "random/law_draw.h"
#include "random/mulberry32.h"
#include "random/product_kernels.h"
#include "random/streams.h"

namespace attnlab {
namespace {

// A chunk is what one task samples: it depends on d alone, so that any team gives the same bits.
std::int64_t chunk_samples(std::int64_t d) {
  return std::clamp<std::int64_t>((1 << 18) / d / kMaxLanes * kMaxLanes, kMaxLanes, 16384);
}

ProductJob philox_job(const DotProductSettings& s, const Watch* watch) {
  ProductJob job{.law = s.law, .df = s.df, .mean_q = s.mean_q, .mean_k = s.mean_k, .tied = s.tied};
  job.d = s.d;
  job.keys = stream_keys(s.seed, Stream::kDotProduct, static_cast<std::uint32_t>(s.law),
                         static_cast<std::uint64_t>(s.d));
  job.watch = watch;
  return job;
}

// Samples first .. first + count - 1 by Philox; first is a multiple of kMaxLanes, out has room for
// a multiple of it.
void draw_philox(const ProductJob& job, std::int64_t first, std::int64_t count, double* out,
                 Isa isa) {
  product_kernels(isa).sum(job, static_cast<std::uint64_t>(first), count, out);
  const double mean =
      static_cast<double>(job.d) * job.mean_q * (job.tied ? job.mean_q : job.mean_k);
  for (std::int64_t i = 0; i < count; ++i) out[i] += mean;
}

double dot_product(const DotProductSettings& s, Mulberry32& source) {
  double sum = 0.0;
  for (std::int64_t i = 0; i < s.d; ++i) {
    const double q = s.mean_q + draw(s.law, s.df, source);
    const double k = s.tied ? q : s.mean_k + draw(s.law, s.df, source);
    sum += q * k;
  }
  return sum;
}

void draw_mulberry32(const DotProductSettings& s, std::int64_t first, std::span<double> out,
                     const Watch* watch) {
  const std::int64_t uniforms = s.d * (s.tied ? 1 : 2) * uniforms_per_component(s.law);
  Mulberry32 source(s.seed,
                    static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(uniforms));
  for (double& value : out) {
    if (watch && watch->stopped()) return;
    value = dot_product(s, source);
  }
}

void check(const DotProductSettings& s) {
  ATTNLAB_CHECK(s.d >= 1 && s.d <= (std::int64_t{1} << 32));
  ATTNLAB_CHECK(s.law != Law::kStudentT || s.df > 2.0);
}

}  // namespace

std::span<const std::string_view> choice_names(Rng) {
  static constexpr std::string_view kNames[] = {"philox", "mulberry32"};
  return kNames;
}

void draw_dot_products(const DotProductSettings& s, std::int64_t first, std::span<double> out,
                       Isa isa) {
  check(s);
  ATTNLAB_CHECK(first >= 0);
  if (s.rng == Rng::kMulberry32) return draw_mulberry32(s, first, out, nullptr);
  const ProductJob job = philox_job(s, nullptr);
  std::array<double, kMaxLanes> part;
  for (std::size_t done = 0; done < out.size();) {
    const std::int64_t sample = first + static_cast<std::int64_t>(done);
    const std::int64_t skip = sample % kMaxLanes;
    draw_philox(job, sample - skip, kMaxLanes, part.data(), isa);
    const auto take = std::min(static_cast<std::size_t>(kMaxLanes - skip), out.size() - done);
    std::copy_n(part.begin() + skip, take, out.begin() + static_cast<std::ptrdiff_t>(done));
    done += take;
  }
}

CentralMoments sample_dot_products(const DotProductSettings& s, std::int64_t samples,
                                   ThreadTeam& team, Watch& watch, Isa isa) {
  check(s);
  const std::int64_t chunk = chunk_samples(s.d), chunks = (samples + chunk - 1) / chunk;
  // Between two looks at the watch: some 10 ms of work, which need not depend on the settings
  // alone, as the parts are merged one by one in order of samples.
  const std::int64_t wave =
      std::clamp<std::int64_t>((1 << 24) / (chunk * s.d), 1, 64) * team.threads();
  std::vector<CentralMoments> parts(static_cast<std::size_t>(wave));
  std::vector<std::vector<double>> values(static_cast<std::size_t>(team.threads()));
  for (auto& buffer : values) buffer.resize(static_cast<std::size_t>(chunk));
  const ProductJob job = philox_job(s, &watch);
  CentralMoments all;
  for (std::int64_t begin = 0; begin < chunks && !watch.stopped(); begin += wave) {
    const std::int64_t count = std::min(wave, chunks - begin);
    team.run(count, [&](std::int64_t task, int worker) {
      const std::int64_t first = (begin + task) * chunk;
      const std::span<double> out(values[static_cast<std::size_t>(worker)].data(),
                                  static_cast<std::size_t>(std::min(chunk, samples - first)));
      if (s.rng == Rng::kMulberry32) {
        draw_mulberry32(s, first, out, &watch);
      } else {
        draw_philox(job, first, static_cast<std::int64_t>(out.size()), out.data(), isa);
      }
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
