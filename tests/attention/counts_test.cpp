#include <vector>

#include "attention/pattern.h"
#include "attention/problem.h"
#include "support/catch.h"

namespace attnlab {
namespace {

// The patterns by their definitions, for one query and one key.
bool sees(const Problem& p, Operator op, std::int64_t i, std::int64_t j) {
  const std::int64_t at = i + (p.causal == Causal::kBottomRight ? p.nk - p.nq : 0);
  const bool causal = p.causal != Causal::kNone;
  if (causal && j > at) return false;
  const auto near = [&](std::int64_t w) { return causal ? at - j < w : std::abs(at - j) < w; };
  switch (op) {
    case Operator::kStrided:
      return near(p.effective_stride()) || (at - j) % p.effective_stride() == 0;
    case Operator::kWindow:
    case Operator::kBigBird:
      return near(p.window) || j < p.global_tokens || (at >= 0 && at < p.global_tokens);
    default:
      return true;
  }
}

std::vector<Problem> shapes() {
  std::vector<Problem> out;
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    for (const auto& [nq, nk] : {std::pair{1, 1}, {1, 9}, {9, 1}, {7, 7}, {5, 12}, {12, 5}}) {
      for (const std::int64_t window : {1, 2, 4, 7, 40}) {
        for (const std::int64_t global : {0, 1, 3, 20}) {
          Problem p = self_attention(1, 1, nq, 4);
          p.nk = nk;
          p.causal = causal;
          p.window = window;
          p.stride = window;
          p.global_tokens = global;
          p.random_blocks = 0;
          out.push_back(p);
        }
      }
    }
  }
  return out;
}

}  // namespace

TEST_CASE("pairs counted in closed form are the pairs of the definition", "[attention]") {
  for (const Problem& p : shapes()) {
    for (const Operator op :
         {Operator::kDense, Operator::kWindow, Operator::kBigBird, Operator::kStrided}) {
      CAPTURE(p.nq, p.nk, causal_name(p.causal), p.window, p.global_tokens, operator_name(op));
      std::int64_t expected = 0, wrong = 0;
      std::vector<std::uint8_t> visible(static_cast<std::size_t>(p.nk));
      for (std::int64_t i = 0; i < p.nq; ++i) {
        mark_visible(p, op, 0, i, visible);
        std::int64_t row = 0;
        for (std::int64_t j = 0; j < p.nk; ++j) {
          row += sees(p, op, i, j);
          wrong += sees(p, op, i, j) != (visible[static_cast<std::size_t>(j)] != 0);
        }
        wrong += visible_keys(p, op, 0, i) != row;
        expected += row;
      }
      REQUIRE(wrong == 0);
      REQUIRE(total_pairs(p, op) == expected);
    }
  }
}

TEST_CASE("random blocks are distinct, in the past, and away from window and global keys",
          "[attention]") {
  for (const Causal causal : {Causal::kNone, Causal::kTopLeft, Causal::kBottomRight}) {
    Problem p = self_attention(1, 2, 1000, 4);
    p.nq = 900;
    p.causal = causal;
    p.window = 70;
    p.global_tokens = 10;
    p.random_blocks = 4;
    std::vector<std::uint8_t> window(1000), all(1000);
    bool heads_differ = false, some = false;
    for (std::int64_t i = 0; i < p.nq; ++i) {
      CAPTURE(causal_name(causal), i);
      mark_visible(p, Operator::kWindow, 1, i, window);
      mark_visible(p, Operator::kBigBird, 1, i, all);
      const RandomBlocks blocks = random_key_blocks(p, 1, i / kBigBirdBlock);
      const RandomBlocks other = random_key_blocks(p, 0, i / kBigBirdBlock);
      heads_differ =
          heads_differ || !std::equal(blocks.index.begin(), blocks.index.begin() + blocks.count,
                                      other.index.begin());
      std::int64_t extra = 0, seen = 0, wrong = 0;
      for (std::size_t j = 0; j < 1000; ++j) {
        wrong += all[j] < window[j];
        extra += all[j] - window[j];
        seen += all[j];
        const bool past = static_cast<std::int64_t>(j) <= i + p.shift();
        wrong += causal != Causal::kNone && !past && all[j] != 0;
      }
      REQUIRE(wrong == 0);
      some = some || extra > 0;
      REQUIRE(seen == visible_keys(p, Operator::kBigBird, 1, i));
      if (i >= p.global_tokens || causal != Causal::kNone) {
        std::int64_t expected = 0;
        const bool global = i + p.shift() < p.global_tokens;
        for (int b = 0; b < blocks.count && !global; ++b) {
          const auto block = blocks.index[static_cast<std::size_t>(b)];
          expected += std::min<std::int64_t>(64, 1000 - 64 * block);
          if (b > 0) REQUIRE(block > blocks.index[static_cast<std::size_t>(b - 1)]);
        }
        REQUIRE(extra == expected);
      }
    }
    CHECK(heads_differ);
    CHECK(some);
  }
}

TEST_CASE("counts that pass 64 bits are refused, not wrapped", "[attention]") {
  const std::int64_t big = std::int64_t{1} << 32;
  Problem p = self_attention(1, 1, big, 64);
  CHECK(!multiply_adds(p, Operator::kDense));
  CHECK(multiply_adds(p, Operator::kLinear) == big * 64 * (64 + 65));
}

TEST_CASE("multiply-adds and bytes are exact", "[attention]") {
  Problem p = self_attention(2, 12, 64, 64);
  CHECK(multiply_adds(p, Operator::kDense) == 2 * 12 * 64 * 64 * (64 + 64));
  p.causal = Causal::kTopLeft;
  CHECK(multiply_adds(p, Operator::kDense) == 2 * 12 * (64 * 65 / 2) * 128);
  p.kv_heads = 3;
  p.head_dim_v = 32;
  p.mask = {MaskKind::kAdditive, false, true, true};
  CHECK(operand_bytes(p) ==
        4 * (2 * 12 * 64 * 64 + 2 * 3 * 64 * (64 + 32) + 2 * 12 * 64 * 32 + 12 * 64 * 64));
  p.dtype = Dtype::kBf16;
  p.mask = {};
  CHECK(operand_bytes(p) == 2 * (2 * 12 * 64 * 64 + 2 * 3 * 64 * (64 + 32)) + 4 * 2 * 12 * 64 * 32);
  p.features = 100;
  CHECK(multiply_adds(p, Operator::kPerformer) ==
        2 * 3 * 64 * 100 * (64 + 32) + 2 * 12 * 64 * 100 * (64 + 33));
}

}  // namespace attnlab
