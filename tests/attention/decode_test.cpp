// Decoding: chunks that are put together, some of them without a key that is seen; every type; any
// team.
#include <cmath>
#include <limits>

#include "attention/key_split.h"
#include "attention/registry.h"
#include "support/case.h"
#include "support/catch.h"

namespace attnlab::test {
namespace {

constexpr Dtype kDtypes[] = {Dtype::kF32, Dtype::kBf16, Dtype::kF16, Dtype::kInt8};

template <class Body>
void for_each_decode(Body&& body) {
  for (const Kernel* kernel : runnable_kernels()) {
    if (kernel->name != "decode") continue;
    INFO(label(*kernel));
    body(*kernel);
  }
}

Problem one_query(std::int64_t keys, Dtype dtype) {
  Problem p = self_attention(2, 8, keys, 40);
  p.kv_heads = 2;
  p.nq = 1;
  p.head_dim_v = 72;
  p.dtype = dtype;
  return p;
}

}  // namespace

TEST_CASE("chunks are cut by the number of keys alone", "[attention]") {
  for (const std::int64_t keys : {1, 255, 256, 257, 5000, 65536, 1 << 20}) {
    const KeySplit split(keys);
    CHECK(split.chunks <= 64);
    CHECK((split.chunks - 1) * split.chunk_keys < keys);
    CHECK(split.chunks * split.chunk_keys >= keys);
    CHECK(split.chunk_keys % 64 == 0);
  }
}

TEST_CASE("decode is right with whole chunks hidden, in every type and for any team",
          "[attention]") {
  for (const Dtype dtype : kDtypes) {
    for (const MaskKind kind : {MaskKind::kBoolean, MaskKind::kAdditive}) {
      Problem p = one_query(1500, dtype);
      p.mask = {kind, false, false, false};
      Case c(p);
      const auto hide = [&](std::int64_t j, bool hidden) {
        if (kind == MaskKind::kBoolean) {
          c.mask_memory.as<std::uint8_t>()[j] = hidden ? 0 : 1;
        } else {
          c.mask_memory.as<float>()[j] = hidden ? -std::numeric_limits<float>::infinity() : 0.25f;
        }
      };
      // The first and third chunk as a whole, and every key of the last but the very last.
      for (std::int64_t j = 0; j < p.nk; ++j) {
        const bool hidden = j < 256 || (j >= 512 && j < 768) || (j >= 1280 && j != 1499);
        hide(j, hidden);
        if (hidden && j % 5 == 0) c.set_key(c.v, j, std::numeric_limits<double>::quiet_NaN());
      }
      const Expected expected = expected_output(c, Operator::kDense);
      for_each_decode([&](const Kernel& kernel) {
        CAPTURE(dtype_name(dtype));
        ThreadTeam one(1);
        CHECK(run_and_compare(kernel, c, expected, one) == "");
        const auto alone = run(kernel, c, one);
        for (const int threads : {2, 3, 5}) {
          ThreadTeam team(threads);
          CHECK(same_bits(run(kernel, c, team), alone));
        }
      });
      for (std::int64_t j = 0; j < p.nk; ++j) hide(j, true);
      for_each_decode([&](const Kernel& kernel) {
        ThreadTeam team(2);
        bool zeros = true;
        for (const float x : run(kernel, c, team)) zeros = zeros && x == 0 && !std::signbit(x);
        CHECK(zeros);
      });
    }
  }
}

TEST_CASE("decode is right on caches of every length around its blocks and chunks", "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : kDtypes) {
    for (const std::int64_t keys : {1, 2, 5, 8, 63, 64, 65, 127, 255, 257, 600}) {
      const Problem p = one_query(keys, dtype);
      for (const Layout layout : {Layout::kBhnd, Layout::kGaps}) {
        const Case c(p, layout);
        const Expected expected = expected_output(c, Operator::kDense);
        for_each_decode([&](const Kernel& kernel) {
          CAPTURE(dtype_name(dtype), keys);
          CHECK(run_and_compare(kernel, c, expected, team) == "");
        });
      }
    }
  }
}

TEST_CASE("a group of heads of any size has the bits of heads by themselves", "[attention]") {
  ThreadTeam team(2);
  for (const Dtype dtype : kDtypes) {
    for (const std::int64_t group : {2, 3, 4, 5, 7, 16, 19}) {
      Problem p = self_attention(1, group, 300, 40);
      p.kv_heads = 1;
      p.nq = 1;
      p.dtype = dtype;
      const Case together(p);
      p.kv_heads = group;
      Case apart(p);
      const auto repeat = [](const GuardedTensor& from, GuardedTensor& to) {
        const std::int64_t row_bytes = 40 * dtype_bytes(from.view().dtype);
        for (std::int64_t h = 0; h < to.view().shape[1]; ++h) {
          for (std::int64_t j = 0; j < 300; ++j) {
            std::copy_n(from.view().row(0, 0, j), row_bytes, to.view().row(0, h, j));
            to.set_scale({0, h, j, 0}, from.scales().at(0, 0, j));
          }
        }
      };
      repeat(together.k, apart.k);
      repeat(together.v, apart.v);
      for_each_decode([&](const Kernel& kernel) {
        CAPTURE(dtype_name(dtype), group);
        CHECK(same_bits(run(kernel, together, team), run(kernel, apart, team)));
      });
    }
  }
}

TEST_CASE("int8 operands without scales are refused", "[attention]") {
  ThreadTeam team(1);
  const Case c(one_query(5, Dtype::kInt8));
  const PreparedKernel prepared(*find_kernel("decode"), c.problem, 1);
  Operands operands = c.operands();
  operands.v_scales = {};
  CHECK_THROWS_WITH(prepared.run(operands, team),
                    "kernel decode: the scales of int8 keys and values are missing");
  std::string why_not;
  CHECK(!find_kernel("flash")->supports(c.problem, &why_not));
  CHECK(why_not == "int8 is a type of caches: decode, textbook and reference read it");
}

}  // namespace attnlab::test
