#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "random/product_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target.h comes first
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>

#include "base/check.h"
#include "random/component-inl.h"
#include "random/philox-inl.h"
#include "random/product_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace attnlab {
namespace HWY_NAMESPACE {

using Doubles = hn::ScalableTag<double>;
using DoubleV = hn::Vec<Doubles>;

// Sums in float32 stay short: after this many blocks they go on to sums in float64.
constexpr std::int64_t kRun = 32;
constexpr std::int64_t kBlocksBetweenLooks = 1 << 16;  // at the watch

// One float64 sum a lane.
class LaneSums {
 public:
  HWY_INLINE LaneSums() : low_(hn::Zero(Doubles())), high_(hn::Zero(Doubles())) {}
  HWY_INLINE void Add(FloatV x) {
    const hn::Half<Floats> half;
    low_ = hn::Add(low_, hn::PromoteTo(Doubles(), hn::LowerHalf(half, x)));
    high_ = hn::Add(high_, hn::PromoteTo(Doubles(), hn::UpperHalf(half, x)));
  }
  HWY_INLINE void Store(double* out) const {
    hn::StoreU(low_, Doubles(), out);
    hn::StoreU(high_, Doubles(), out + hn::Lanes(Doubles()));
  }

 private:
  DoubleV low_, high_;
};

// What a block adds to q.k: kTerms numbers, one for each of the next kTerms components.
struct CentredNormalTerms {
  static constexpr int kTerms = 2;
  HWY_INLINE void Get(const WordV (&w)[4], FloatV (&terms)[4]) const {
    terms[0] = NormalProduct(w[0], w[1]);
    terms[1] = NormalProduct(w[2], w[3]);
  }
};

// (q + a)(k + b) - a b = q k + a k + b q
template <class Components>
struct IndependentTerms {
  static constexpr int kTerms = Components::kComponents / 2;
  Components components;
  float mean_q, mean_k;
  HWY_INLINE void Get(const WordV (&w)[4], FloatV (&terms)[4]) const {
    FloatV c[4];
    components.Draw(w, c);
    for (int i = 0; i < kTerms; ++i) {
      const FloatV q = c[2 * i], k = c[2 * i + 1];
      const FloatV shifted = hn::MulAdd(Constant(mean_q), k, hn::Mul(Constant(mean_k), q));
      terms[i] = hn::MulAdd(q, k, shifted);
    }
  }
};

// (q + a)^2 - a^2 = q (q + 2 a)
template <class Components>
struct TiedTerms {
  static constexpr int kTerms = Components::kComponents;
  Components components;
  float mean;
  HWY_INLINE void Get(const WordV (&w)[4], FloatV (&terms)[4]) const {
    FloatV c[4];
    components.Draw(w, c);
    for (int i = 0; i < kTerms; ++i) {
      terms[i] = hn::Mul(c[i], hn::Add(c[i], Constant(2.0f * mean)));
    }
  }
};

// The words of a run of blocks. Drawing them all before any is used keeps two kinds of work apart
// that the processor overlaps far better with itself than with the other: a quarter of the time.
// Drawing and using are functions of their own, not copied into every caller: the calls cost
// nothing, the copies took minutes to compile with sanitizers.
class WordRun {
 public:
  HWY_NOINLINE void Draw(const PhiloxLanes& philox, std::int64_t begin, std::int64_t end,
                         std::int64_t place = 0) {
    WordV w[4];
    for (std::int64_t block = begin; block < end; ++block, ++place) {
      philox.Block(static_cast<std::uint32_t>(block), w[0], w[1], w[2], w[3]);
      for (std::int64_t i = 0; i < 4; ++i) hn::Store(w[i], Words(), At(place, i));
    }
  }
  HWY_INLINE void Get(std::int64_t place, WordV (&w)[4]) const {
    for (std::int64_t i = 0; i < 4; ++i) w[i] = hn::Load(Words(), At(place, i));
  }

 private:
  using Words = hn::RebindToUnsigned<Floats>;
  HWY_INLINE std::uint32_t* At(std::int64_t place, std::int64_t i) const {
    return words_ + (4 * place + i) * static_cast<std::int64_t>(hn::Lanes(Words()));
  }
  HWY_ALIGN mutable std::uint32_t words_[4 * kRun * kMaxLanes];
};

// The sum of the terms of blocks [begin, end), at the given place of the run; those of the last
// block beyond d are left out.
template <class Terms>
HWY_NOINLINE FloatV SumRun(const Terms& terms, const WordRun& run, std::int64_t begin,
                           std::int64_t end, std::int64_t d, std::int64_t place = 0) {
  FloatV sum = Constant(0.0f), t[4];
  WordV w[4];
  const std::int64_t whole = std::min(end, d / Terms::kTerms);
  for (std::int64_t block = begin; block < whole; ++block, ++place) {
    run.Get(place, w);
    terms.Get(w, t);
    for (int i = 0; i < Terms::kTerms; ++i) sum = hn::Add(sum, t[i]);
  }
  if (whole < end) {
    run.Get(place, w);
    terms.Get(w, t);
    for (int i = 0; i < d % Terms::kTerms; ++i) sum = hn::Add(sum, t[i]);
  }
  return sum;
}

// Large d: one vector of samples, run after run.
template <class Terms>
HWY_INLINE void SumLanes(const Terms& terms, const ProductJob& job, std::uint64_t first,
                         std::int64_t blocks, double* out) {
  const PhiloxLanes philox(job.keys, first, job.vector);
  WordRun run;
  LaneSums sums;
  for (std::int64_t begin = 0; begin < blocks; begin += kRun) {
    if (begin % kBlocksBetweenLooks == 0 && begin > 0 && job.watch && job.watch->stopped()) break;
    const std::int64_t end = std::min(begin + kRun, blocks);
    run.Draw(philox, begin, end);
    sums.Add(SumRun(terms, run, begin, end, job.d));
  }
  sums.Store(out);
}

template <class Terms>
void SumAll(const Terms& terms, const ProductJob& job, std::uint64_t first, std::int64_t count,
            double* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  const std::int64_t blocks = (job.d + Terms::kTerms - 1) / Terms::kTerms;
  const std::int64_t vectors = (count + lanes - 1) / lanes;
  const std::int64_t together = kRun / blocks;  // vectors that share a run
  if (together < 2) {
    for (std::int64_t i = 0; i < vectors; ++i) {
      SumLanes(terms, job, first + static_cast<std::uint64_t>(i * lanes), blocks, out + i * lanes);
    }
    return;
  }
  WordRun run;
  for (std::int64_t begin = 0; begin < vectors; begin += together) {
    const std::int64_t end = std::min(begin + together, vectors);
    for (std::int64_t i = begin; i < end; ++i) {
      const PhiloxLanes philox(job.keys, first + static_cast<std::uint64_t>(i * lanes), job.vector);
      run.Draw(philox, 0, blocks, (i - begin) * blocks);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      LaneSums sums;
      sums.Add(SumRun(terms, run, 0, blocks, job.d, (i - begin) * blocks));
      sums.Store(out + i * lanes);
    }
  }
}

template <class Components>
void SumComponents(const Components& components, const ProductJob& job, std::uint64_t first,
                   std::int64_t count, double* out) {
  const auto mean_q = static_cast<float>(job.mean_q), mean_k = static_cast<float>(job.mean_k);
  if (job.tied) {
    SumAll(TiedTerms<Components>{components, mean_q}, job, first, count, out);
  } else {
    SumAll(IndependentTerms<Components>{components, mean_q, mean_k}, job, first, count, out);
  }
}

// Rademacher components are bits, 1 for -1, and their sums are counts of bits: of 128 in a block,
// words 0 and 1 for q and 2 and 3 for k, or all for q if tied.
void SumSigns(const ProductJob& job, std::uint64_t first, std::int64_t count, double* out) {
  constexpr std::int64_t kBlocks = 1 << 20;  // between sums in 32 bits and in float64
  const hn::RebindToUnsigned<Floats> words;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(words));
  const std::int64_t in_block = job.tied ? 128 : 64, blocks = (job.d + in_block - 1) / in_block;
  HWY_ALIGN std::uint32_t minus_q[kMaxLanes], minus_k[kMaxLanes], minus_qk[kMaxLanes];
  for (std::int64_t i = 0; i < count; i += lanes) {
    const PhiloxLanes philox(job.keys, first + static_cast<std::uint64_t>(i), job.vector);
    std::fill_n(out + i, lanes, 0.0);
    for (std::int64_t begin = 0; begin < blocks; begin += kBlocks) {
      if (begin > 0 && job.watch && job.watch->stopped()) break;
      const std::int64_t end = std::min(begin + kBlocks, blocks);
      WordV count_q = hn::Zero(words), count_k = count_q, count_qk = count_q, w[4];
      for (std::int64_t block = begin; block < end; ++block) {
        philox.Block(static_cast<std::uint32_t>(block), w[0], w[1], w[2], w[3]);
        if ((block + 1) * in_block > job.d) {  // the last block: only its first bits count
          for (std::int64_t word = 0; word < 4; ++word) {
            const std::int64_t begin_bit = block * in_block + 32 * (job.tied ? word : word % 2);
            const auto valid = std::clamp<std::int64_t>(job.d - begin_bit, 0, 32);
            w[word] = hn::And(w[word], Bits(static_cast<std::uint32_t>((1ull << valid) - 1)));
          }
        }
        const WordV q = hn::Add(hn::PopulationCount(w[0]), hn::PopulationCount(w[1]));
        const WordV k = hn::Add(hn::PopulationCount(w[2]), hn::PopulationCount(w[3]));
        count_q = hn::Add(count_q, q);
        count_k = hn::Add(count_k, k);
        count_qk = hn::Add(count_qk, hn::Add(hn::PopulationCount(hn::Xor(w[0], w[2])),
                                             hn::PopulationCount(hn::Xor(w[1], w[3]))));
      }
      hn::Store(count_q, words, minus_q);
      hn::Store(count_k, words, minus_k);
      hn::Store(count_qk, words, minus_qk);
      const double n = static_cast<double>(std::min(end * in_block, job.d) - begin * in_block);
      for (std::int64_t lane = 0; lane < lanes; ++lane) {
        const double q = minus_q[lane], k = minus_k[lane], qk = minus_qk[lane];
        out[i + lane] +=
            job.tied ? n + 2.0 * job.mean_q * (n - 2.0 * (q + k))
                     : (n - 2.0 * qk) + job.mean_q * (n - 2.0 * k) + job.mean_k * (n - 2.0 * q);
      }
    }
  }
}

void Sum(const ProductJob& job, std::uint64_t first, std::int64_t count, double* out) {
  switch (job.law) {
    case Law::kNormal:
      if (!job.tied && job.mean_q == 0.0 && job.mean_k == 0.0) {
        return SumAll(CentredNormalTerms(), job, first, count, out);
      }
      return SumComponents(NormalComponents(), job, first, count, out);
    case Law::kUniform:
      return SumComponents(UniformComponents(), job, first, count, out);
    case Law::kRademacher:
      return SumSigns(job, first, count, out);
    case Law::kLaplace:
      return SumComponents(LaplaceComponents(), job, first, count, out);
    case Law::kLogistic:
      return SumComponents(LogisticComponents(), job, first, count, out);
    case Law::kStudentT:
      return SumComponents(StudentTComponents(job.df), job, first, count, out);
  }
}

void SharedScores(const ProductJob& job, std::uint64_t first, std::int64_t count, std::int64_t keys,
                  std::int64_t stride, float* query, double* scores) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  const std::int64_t blocks = (job.d + 3) / 4;
  const NormalComponents normal;
  WordRun run;
  WordV w[4];
  FloatV c[4];
  for (std::int64_t i = 0; i < count; i += lanes) {
    const std::uint64_t trial = first + static_cast<std::uint64_t>(i);
    const PhiloxLanes query_philox(job.keys, trial, 0);
    for (std::int64_t begin = 0; begin < blocks; begin += kRun) {
      const std::int64_t end = std::min(begin + kRun, blocks);
      run.Draw(query_philox, begin, end);
      for (std::int64_t block = begin; block < end; ++block) {
        run.Get(block - begin, w);
        normal.Draw(w, c);
        for (std::int64_t j = 0; j < 4; ++j) {  // zeros behind the last component
          hn::StoreU(4 * block + j < job.d ? c[j] : Constant(0.0f), Floats(),
                     query + (4 * block + j) * lanes);
        }
      }
    }
    for (std::int64_t key = 0; key < keys; ++key) {
      if (key % 64 == 0 && key > 0 && job.watch && job.watch->stopped()) return;
      const PhiloxLanes philox(job.keys, trial, static_cast<std::uint32_t>(1 + key));
      LaneSums sums;
      for (std::int64_t begin = 0; begin < blocks; begin += kRun) {
        const std::int64_t end = std::min(begin + kRun, blocks);
        run.Draw(philox, begin, end);
        FloatV sum = Constant(0.0f);
        for (std::int64_t block = begin; block < end; ++block) {
          run.Get(block - begin, w);
          normal.Draw(w, c);
          for (std::int64_t j = 0; j < 4; ++j) {
            sum = hn::MulAdd(hn::LoadU(Floats(), query + (4 * block + j) * lanes), c[j], sum);
          }
        }
        sums.Add(sum);
      }
      sums.Store(scores + key * stride + i);
    }
  }
}

// Lane l draws the components of block first + l, which follow one another in memory.
template <class Components>
HWY_NOINLINE void FillWith(const Components& components, const FillJob& job, std::uint64_t first,
                           std::int64_t count, float* out) {
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(Floats()));
  const std::int64_t vectors = (count + lanes - 1) / lanes;
  WordRun run;
  WordV w[4];
  FloatV c[4];
  for (std::int64_t begin = 0; begin < vectors; begin += kRun) {
    const std::int64_t end = std::min(begin + kRun, vectors);
    for (std::int64_t i = begin; i < end; ++i) {
      run.Draw({job.keys, first + static_cast<std::uint64_t>(i * lanes), 0}, 0, 1, i - begin);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      run.Get(i - begin, w);
      components.Draw(w, c);
      float* to = out + i * lanes * Components::kComponents;
      if constexpr (Components::kComponents == 4) {
        hn::StoreInterleaved4(c[0], c[1], c[2], c[3], Floats(), to);
      } else {
        hn::StoreInterleaved2(c[0], c[1], Floats(), to);
      }
    }
  }
}

void Fill(const FillJob& job, std::uint64_t first, std::int64_t count, float* out) {
  switch (job.law) {
    case Law::kNormal:
      return FillWith(NormalComponents(), job, first, count, out);
    case Law::kUniform:
      return FillWith(UniformComponents(), job, first, count, out);
    case Law::kRademacher:
      return FillWith(RademacherComponents(), job, first, count, out);
    case Law::kLaplace:
      return FillWith(LaplaceComponents(), job, first, count, out);
    case Law::kLogistic:
      return FillWith(LogisticComponents(), job, first, count, out);
    case Law::kStudentT:
      return FillWith(StudentTComponents(job.df), job, first, count, out);
  }
}

constexpr ProductKernels kKernels = {&Sum, &SharedScores, &Fill};

}  // namespace HWY_NAMESPACE
}  // namespace attnlab
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace attnlab {

const ProductKernels& product_kernels(Isa isa) {
#if HWY_TARGETS & HWY_SSE4
  if (isa == Isa::kSse4) return N_SSE4::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX2
  if (isa == Isa::kAvx2) return N_AVX2::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX3
  if (isa == Isa::kAvx512) return N_AVX3::kKernels;
#endif
#if HWY_TARGETS & HWY_NEON
  if (isa == Isa::kNeon) return N_NEON::kKernels;
#endif
  ATTNLAB_CHECK(false && "an instruction set that simd_isas() does not list");
  std::abort();
}

}  // namespace attnlab
#endif  // HWY_ONCE
