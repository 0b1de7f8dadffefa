#include "attention/kv_cache.h"

#include <cmath>

#include "attention/reference.h"
#include "attention/registry.h"
#include "base/error.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {

TEST_CASE("a cache shows what was appended, in order", "[attention]") {
  const Problem p = self_attention(2, 3, 10, 5);
  const Case c(p, Layout::kBnhd);
  KvCache cache(2, 3, 10, 5, 5);
  const ConstView k = c.k.view(), v = c.v.view();
  cache.append(k.rows(0, 4), v.rows(0, 4));
  cache.append(k.rows(4, 1), v.rows(4, 1));
  CHECK(cache.size() == 5);
  CHECK(cache.k().shape == Index4{2, 3, 5, 5});
  CHECK(max_difference(cache.k(), k.rows(0, 5)) == 0);
  CHECK(max_difference(cache.v(), v.rows(0, 5)) == 0);
  cache.append(k.rows(5, 5), v.rows(5, 5));
  CHECK(max_difference(cache.v(), v) == 0);
  CHECK_THROWS_AS(cache.append(k.rows(0, 1), v.rows(0, 1)), UserError);
  cache.clear();
  CHECK(cache.size() == 0);
  CHECK_THROWS_AS(cache.append(k.rows(0, 2), v.rows(0, 1)), UserError);
}

TEST_CASE("a cache of halves rounds what it is given", "[attention]") {
  const Case c(self_attention(1, 1, 4, 3));
  for (const Dtype dtype : {Dtype::kBf16, Dtype::kF16}) {
    KvCache cache(1, 1, 4, 3, 3, dtype);
    cache.append(c.k.view(), c.v.view());
    const float k = static_cast<float>(c.k.view().at(0, 0, 2, 1));
    CHECK(cache.k().at(0, 0, 2, 1) ==
          (dtype == Dtype::kBf16 ? to_float(to_bf16(k)) : to_float(to_f16(k))));
    CHECK(cache.bytes() <= 64 + 4 * 3 * 2);
  }
}

TEST_CASE("an int8 cache quantizes what it is given, or takes rows with their scales",
          "[attention]") {
  Problem p = self_attention(2, 3, 7, 5);
  p.head_dim_v = 9;
  const Case plain(p);
  p.dtype = Dtype::kInt8;
  const Case quantized(p);  // the same numbers, rounded
  KvCache rounded(2, 3, 8, 5, 9, Dtype::kInt8), copied(2, 3, 8, 5, 9, Dtype::kInt8);
  for (std::int64_t t = 0; t < 7; ++t) {
    rounded.append(plain.k.view().rows(t, 1), plain.v.view().rows(t, 1));
    copied.append(quantized.k.view().rows(t, 1), quantized.v.view().rows(t, 1),
                  quantized.k.scales().from(t), quantized.v.scales().from(t));
  }
  CHECK(rounded.bytes() == KvCache::bytes_of(2, 3, 8, 5, 9, Dtype::kInt8));
  std::int64_t wrong = 0;
  double worst = 0;
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 3; ++h) {
      for (std::int64_t t = 0; t < 7; ++t) {
        wrong += rounded.k_scales().at(b, h, t) != quantized.k.scales().at(b, h, t);
        wrong += copied.k_scales().at(b, h, t) != quantized.k.scales().at(b, h, t);
        const float scale = rounded.v_scales().at(b, h, t);
        wrong += copied.v_scales().at(b, h, t) != scale;
        for (std::int64_t c = 0; c < 9; ++c) {
          wrong += rounded.v().at(b, h, t, c) != copied.v().at(b, h, t, c);
          const double off = rounded.v().at(b, h, t, c) * scale - plain.v.view().at(b, h, t, c);
          worst = std::max(worst, std::abs(off) / scale);
        }
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(worst <= 0.5 + 1e-5);
  rounded.clear();
  CHECK_THROWS_WITH(rounded.append(quantized.k.view(), quantized.v.view()),
                    "KV-cache: the scales of k are missing");
}

TEST_CASE("generation token by token is causal attention, with and without the cache",
          "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16, Dtype::kF16, Dtype::kInt8}) {
    Problem p = self_attention(2, 4, 70, 24);
    p.kv_heads = 2;
    p.causal = Causal::kTopLeft;
    p.window = 9;
    p.global_tokens = 3;
    p.features = 16;
    p.dtype = dtype;
    const Case c(p);
    for (const Kernel* kernel : runnable_kernels()) {
      for (const auto kind : {Generation::Cache::kYes, Generation::Cache::kNo}) {
        const bool cached = kind == Generation::Cache::kYes;
        INFO(label(*kernel) << (cached ? " with" : " without") << " cache");
        if (!kernel->supports(p, nullptr)) continue;  // of int8
        if (cached && (!has_softmax(kernel->op) || kernel->op == Operator::kBigBird)) {
          CHECK_THROWS_AS(Generation(*kernel, p, kind, 2), UserError);
          continue;
        }
        Generation generation(*kernel, p, kind, 2);
        for (int round = 0; round < 2; ++round) {
          for (std::int64_t t = 0; t < p.nq; ++t) generation.step(c.operands(), team);
          CHECK(generation.size() == p.nq);
          generation.restart();
        }
        CHECK(generation.workspace_bytes() > 0);
        const Expected expected = expected_output(c, kernel->op, kernel->products);
        const double error = max_difference(c.o.view(), expected.view);
        CHECK(error_ratio(error, expected.textbook_error, c.v.view(), c.v.scales()) <= 2);
      }
    }
  }
}

TEST_CASE("generation refuses what it cannot be", "[attention]") {
  Problem p = self_attention(1, 1, 8, 4);
  const Kernel& flash = *find_kernel("flash");
  CHECK_THROWS_AS(Generation(flash, p, Generation::Cache::kYes, 1), UserError);  // not causal
  p.causal = Causal::kTopLeft;
  p.nq = 4;
  CHECK_THROWS_AS(Generation(flash, p, Generation::Cache::kYes, 1), UserError);
}

}  // namespace attnlab::test
