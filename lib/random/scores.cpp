#include "random/scores.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "random/mulberry32.h"
#include "random/product_kernels.h"
#include "random/streams.h"

namespace attnlab {
namespace {

void draw_mulberry32(const ScoreSettings& s, std::int64_t first, std::span<double> scores) {
  const std::int64_t vectors = s.design == Design::kShared ? s.keys + 1 : 2 * s.keys;
  Mulberry32 source(
      s.seed, static_cast<std::uint64_t>(first) * 2 * static_cast<std::uint64_t>(vectors * s.d));
  std::vector<double> query(static_cast<std::size_t>(s.d));
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double sum = 0.0;
    if (s.design == Design::kFresh) {
      for (std::int64_t j = 0; j < s.d; ++j) {
        const double q = source.normal();
        sum += q * source.normal();
      }
    } else {
      if (i % static_cast<std::size_t>(s.keys) == 0) {
        for (double& q : query) q = source.normal();
      }
      for (const double q : query) sum += q * source.normal();
    }
    scores[i] = sum;
  }
}

ProductJob philox_job(const ScoreSettings& s, const Watch* watch) {
  ProductJob job;
  job.d = s.d;
  const Stream stream = s.design == Design::kShared ? Stream::kSharedScores : Stream::kFreshScores;
  job.keys = stream_keys(s.seed, stream, static_cast<std::uint32_t>(s.keys),
                         static_cast<std::uint64_t>(s.d));
  job.watch = watch;
  return job;
}

void check(const ScoreSettings& s) {
  ATTNLAB_CHECK(s.d >= 1 && s.d <= (std::int64_t{1} << 32));
  ATTNLAB_CHECK(s.keys >= 1 && s.keys < (std::int64_t{1} << 32) - 1);
}

}  // namespace

std::span<const std::string_view> choice_names(Design) {
  static constexpr std::string_view kNames[] = {"shared", "fresh"};
  return kNames;
}

void draw_scores_by_key(const ScoreSettings& s, std::int64_t first, std::int64_t trials,
                        std::int64_t stride, std::span<double> scores, std::vector<float>& query,
                        const Watch* watch, Isa isa) {
  ATTNLAB_CHECK(s.rng == Rng::kPhilox && first % kMaxLanes == 0 && stride % kMaxLanes == 0);
  ATTNLAB_CHECK(trials <= stride && scores.size() >= static_cast<std::size_t>(stride * s.keys));
  const ProductKernels& kernels = product_kernels(isa);
  ProductJob job = philox_job(s, watch);
  const auto trial = static_cast<std::uint64_t>(first);
  if (s.design == Design::kShared) {
    query.resize(static_cast<std::size_t>((s.d + 3) * kMaxLanes));
    kernels.shared_scores(job, trial, trials, s.keys, stride, query.data(), scores.data());
    return;
  }
  for (std::int64_t key = 0; key < s.keys; ++key) {
    if (watch && watch->stopped()) return;
    job.vector = static_cast<std::uint32_t>(key);
    kernels.sum(job, trial, trials, scores.data() + key * stride);
  }
}

void draw_scores(const ScoreSettings& s, std::int64_t first, std::span<double> scores, Isa isa) {
  check(s);
  ATTNLAB_CHECK(first >= 0 && scores.size() % static_cast<std::size_t>(s.keys) == 0);
  if (s.rng == Rng::kMulberry32) return draw_mulberry32(s, first, scores);
  const std::int64_t trials = static_cast<std::int64_t>(scores.size()) / s.keys;
  std::vector<double> part(static_cast<std::size_t>(kMaxLanes * s.keys));
  std::vector<float> query;
  for (std::int64_t done = 0; done < trials;) {
    const std::int64_t skip = (first + done) % kMaxLanes;
    const std::int64_t take = std::min(kMaxLanes - skip, trials - done);
    draw_scores_by_key(s, first + done - skip, kMaxLanes, kMaxLanes, part, query, nullptr, isa);
    for (std::int64_t row = 0; row < take; ++row) {
      for (std::int64_t key = 0; key < s.keys; ++key) {
        scores[static_cast<std::size_t>((done + row) * s.keys + key)] =
            part[static_cast<std::size_t>(key * kMaxLanes + skip + row)];
      }
    }
    done += take;
  }
}

}  // namespace attnlab
