// The vector kernels of every instruction set against the reference in double.
#include <algorithm>
#include <cmath>
#include <vector>

#include "base/choice.h"
#include "random/dot_product.h"
#include "random/fill.h"
#include "random/scores.h"
#include "random/streams.h"
#include "reference.h"
#include "support/catch.h"

namespace attnlab {
namespace {

Philox::Key key_of(std::uint64_t seed, Stream purpose, std::uint32_t a, std::uint64_t b) {
  return stream_keys(seed, purpose, a, b).round[0];
}

// q.k of one sample as the kernels define it, and the sum of magnitudes that rounding scales with.
struct Exact {
  double value = 0.0, magnitude = 0.0;
  void add(double term) {
    value += term;
    magnitude += std::abs(term);
  }
};

Exact exact_signs(const DotProductSettings& s, Philox::Key key, std::uint64_t sample) {
  Exact out;
  const std::int64_t in_block = s.tied ? 128 : 64;
  for (std::int64_t i = 0; i < s.d; ++i) {
    const Philox::Block w =
        reference::words(key, sample, static_cast<std::uint32_t>(i / in_block), 0);
    const auto word = static_cast<std::size_t>(i % in_block / 32);
    const auto sign = [&](std::size_t of) { return (w[of] >> (i % 32)) & 1u ? -1.0 : 1.0; };
    const double q = s.mean_q + sign(word), k = s.tied ? q : s.mean_k + sign(word + 2);
    out.add(q * k);
  }
  return out;
}

Exact exact_product(const DotProductSettings& s, std::uint64_t sample) {
  const Philox::Key key = key_of(s.seed, Stream::kDotProduct, static_cast<std::uint32_t>(s.law),
                                 static_cast<std::uint64_t>(s.d));
  if (s.law == Law::kRademacher) return exact_signs(s, key, sample);
  const bool identity = s.law == Law::kNormal && !s.tied && s.mean_q == 0.0 && s.mean_k == 0.0;
  Exact out;
  std::int64_t component = 0;
  for (std::uint32_t block = 0; component < s.d; ++block) {
    const Philox::Block w = reference::words(key, sample, block, 0);
    if (identity) {
      for (std::size_t i = 0; i < 4 && component < s.d; i += 2, ++component) {
        out.add(reference::normal_product(w[i], w[i + 1]));
      }
      continue;
    }
    const std::vector<double> c = reference::components(s.law, s.df, w);
    const std::size_t step = s.tied ? 1 : 2;
    for (std::size_t i = 0; i < c.size() && component < s.d; i += step, ++component) {
      const double q = s.mean_q + c[i];
      out.add(q * (s.tied ? q : s.mean_k + c[i + 1]));
    }
  }
  return out;
}

}  // namespace

TEST_CASE("arrays hold the components of successive Philox blocks", "[random]") {
  for (const Isa isa : simd_isas()) {
    for (const Law law : kLaws) {
      DYNAMIC_SECTION(choice_name(law) << "/" << isa_name(isa)) {
        const FillSettings settings{.law = law, .df = 5.0, .seed = 42, .stream = 7};
        const std::int64_t first = (std::int64_t{1} << 34) - 100;  // blocks pass 2^32
        std::vector<float> values(1000, std::nanf(""));
        fill_random(values, settings, first, isa);
        const Philox::Key key =
            key_of(42, Stream::kFill, static_cast<std::uint32_t>(law), settings.stream);
        const std::int64_t per_block = law == Law::kStudentT ? 2 : 4;
        for (std::size_t i = 0; i < values.size(); ++i) {
          const std::int64_t element = first + static_cast<std::int64_t>(i);
          const double exact = reference::components(
              law, 5.0,
              reference::words(key, static_cast<std::uint64_t>(element / per_block), 0,
                               0))[static_cast<std::size_t>(element % per_block)];
          CAPTURE(i);
          REQUIRE(values[i] == Approx(exact).epsilon(1e-6).margin(4e-7));
        }
      }
    }
  }
}

TEST_CASE("an array is the same however it is cut into calls", "[random]") {
  for (const Law law : {Law::kNormal, Law::kStudentT}) {
    const FillSettings settings{.law = law, .df = 7.0, .seed = 3};
    std::vector<float> whole(1001), parts(1001);
    fill_random(whole, settings, 12345);
    std::size_t done = 0;
    for (std::size_t length = 1; done < parts.size(); length = length * 2 + 1) {
      const std::size_t take = std::min(length, parts.size() - done);
      fill_random({parts.data() + done, take}, settings, 12345 + static_cast<std::int64_t>(done));
      done += take;
    }
    CHECK(whole == parts);
  }
}

TEST_CASE("q.k of every law is that of its Philox words", "[random]") {
  struct Mode {
    const char* name;
    double mean_q, mean_k;
    bool tied;
  };
  const Mode modes[] = {{"centred", 0.0, 0.0, false},
                        {"means", 0.75, -1.5, false},
                        {"tied", 0.0, 0.0, true},
                        {"tied with a mean", 0.5, 0.0, true}};
  for (const Isa isa : simd_isas()) {
    for (const Law law : kLaws) {
      for (const Mode& mode : modes) {
        DYNAMIC_SECTION(choice_name(law) << " " << mode.name << "/" << isa_name(isa)) {
          for (const std::int64_t d : {1, 2, 3, 4, 7, 31, 63, 64, 65, 127, 128, 129, 1000}) {
            CAPTURE(d);
            const DotProductSettings settings{.law = law,
                                              .df = 6.5,
                                              .mean_q = mode.mean_q,
                                              .mean_k = mode.mean_k,
                                              .tied = mode.tied,
                                              .d = d,
                                              .seed = 99};
            const std::int64_t first = d == 7 ? (std::int64_t{1} << 32) - 5 : d;
            std::vector<double> values(19, std::nan(""));
            draw_dot_products(settings, first, values, isa);
            for (std::size_t i = 0; i < values.size(); ++i) {
              const Exact exact = exact_product(settings, static_cast<std::uint64_t>(first) + i);
              // the first components have unit size however small their sum is
              REQUIRE(values[i] == Approx(exact.value).margin(2e-6 + 1e-6 * exact.magnitude));
            }
          }
        }
      }
    }
  }
}

TEST_CASE("scores of both designs are those of their Philox words", "[random]") {
  for (const Isa isa : simd_isas()) {
    for (const std::int64_t d : {1, 3, 64, 129, 130}) {
      DYNAMIC_SECTION("d=" << d << "/" << isa_name(isa)) {
        constexpr std::int64_t kKeys = 5, kTrials = 19, kFirst = 11;
        std::vector<double> scores(kKeys * kTrials, std::nan(""));
        ScoreSettings settings{.design = Design::kShared, .d = d, .keys = kKeys, .seed = 8};
        draw_scores(settings, kFirst, scores, isa);
        const Philox::Key shared =
            key_of(8, Stream::kSharedScores, kKeys, static_cast<std::uint64_t>(d));
        for (std::size_t i = 0; i < scores.size(); ++i) {
          const std::uint64_t trial = kFirst + i / kKeys;
          Exact exact;
          for (std::int64_t j = 0; j < d; ++j) {
            const auto block = static_cast<std::uint32_t>(j / 4);
            const auto in_block = static_cast<std::size_t>(j % 4);
            const auto component = [&](std::uint32_t vector) {
              return reference::components(
                  Law::kNormal, 0.0, reference::words(shared, trial, block, vector))[in_block];
            };
            exact.add(component(0) * component(static_cast<std::uint32_t>(1 + i % kKeys)));
          }
          REQUIRE(scores[i] == Approx(exact.value).margin(2e-6 + 1e-6 * exact.magnitude));
        }

        settings.design = Design::kFresh;
        draw_scores(settings, kFirst, scores, isa);
        const Philox::Key fresh =
            key_of(8, Stream::kFreshScores, kKeys, static_cast<std::uint64_t>(d));
        for (std::size_t i = 0; i < scores.size(); ++i) {
          Exact exact;
          for (std::int64_t j = 0; j < d; ++j) {
            const Philox::Block w =
                reference::words(fresh, kFirst + i / kKeys, static_cast<std::uint32_t>(j / 2),
                                 static_cast<std::uint32_t>(i % kKeys));
            const auto at = static_cast<std::size_t>(j % 2 * 2);
            exact.add(reference::normal_product(w[at], w[at + 1]));
          }
          REQUIRE(scores[i] == Approx(exact.value).margin(2e-6 + 1e-6 * exact.magnitude));
        }
      }
    }
  }
}

// Second and fourth moments of float32 components against those of the same components in double:
// the same words, so nothing but the approximation differs.
TEST_CASE("float32 biases no variance by 1e-7 nor a fourth moment by 1e-6", "[random]") {
  constexpr std::size_t kValues = 1 << 19;
  std::vector<float> values(kValues);
  for (const Isa isa : simd_isas()) {
    for (const Law law : kLaws) {
      CAPTURE(choice_name(law), isa_name(isa));
      fill_random(values, {.law = law, .df = 9.0, .seed = 5}, 0, isa);
      const Philox::Key key = key_of(5, Stream::kFill, static_cast<std::uint32_t>(law), 0);
      double m2 = 0.0, m4 = 0.0, exact2 = 0.0, exact4 = 0.0;
      for (std::size_t i = 0, block = 0; i < kValues; ++block) {
        for (const double exact :
             reference::components(law, 9.0, reference::words(key, block, 0, 0))) {
          const double value = values[i++];
          m2 += value * value;
          m4 += std::pow(value, 4);
          exact2 += exact * exact;
          exact4 += std::pow(exact, 4);
        }
      }
      CHECK(std::abs(m2 / exact2 - 1.0) < 1e-7);
      CHECK(std::abs(m4 / exact4 - 1.0) < 1e-6);
    }
  }
}

}  // namespace attnlab
