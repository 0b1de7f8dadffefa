#include "attention/kv_cache.h"

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

TEST_CASE("generation token by token is causal attention, with and without the cache",
          "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : {Dtype::kF32, Dtype::kBf16}) {
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
        const Expected expected = expected_output(c, kernel->op);
        const double error = max_difference(c.o.view(), expected.view);
        CHECK(error_ratio(error, expected.textbook_error, c.v.view()) <= 2);
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
