#include "attention/pattern.h"

#include <algorithm>

#include "attention/draws.h"
#include "base/check.h"

namespace attnlab {
namespace {

// Keys [low, high) of the window of the query at position p.
struct Interval {
  std::int64_t low, high;
  std::int64_t length() const { return std::max<std::int64_t>(high - low, 0); }
};

Interval causal_keys(const Problem& problem, std::int64_t p) {
  const bool causal = problem.causal != Causal::kNone;
  return {0, causal ? std::clamp<std::int64_t>(p + 1, 0, problem.nk) : problem.nk};
}

Interval window_keys(const Problem& problem, std::int64_t p, std::int64_t window) {
  const bool causal = problem.causal != Causal::kNone;
  const auto within = [&](std::int64_t j) { return std::clamp<std::int64_t>(j, 0, problem.nk); };
  return {within(p - window + 1), within(causal ? p + 1 : p + window)};
}

bool is_global(const Problem& problem, std::int64_t p) {
  return p >= 0 && p < problem.global_tokens;
}

std::int64_t block_end(const Problem& problem, std::int64_t block) {
  return std::min((block + 1) * kBigBirdBlock, problem.nk);
}

}  // namespace

RandomBlocks random_key_blocks(const Problem& problem, std::int64_t head,
                               std::int64_t query_block) {
  const std::int64_t first = query_block * kBigBirdBlock + problem.shift();
  const std::int64_t last =
      std::min((query_block + 1) * kBigBirdBlock, problem.nq) - 1 + problem.shift();
  const std::int64_t blocks = (problem.nk + kBigBirdBlock - 1) / kBigBirdBlock;
  const std::int64_t start =
      std::min((problem.global_tokens + kBigBirdBlock - 1) / kBigBirdBlock, blocks);
  // Candidates: blocks [start, before) end before the window of the first query begins; blocks
  // [after, blocks) begin where the window of the last one has ended.
  const std::int64_t window_begin = window_keys(problem, first, problem.window).low;
  std::int64_t before = start;
  if (window_begin == problem.nk) {
    before = blocks;
  } else {
    before = std::max(start, window_begin / kBigBirdBlock);
  }
  std::int64_t after = blocks;
  if (problem.causal == Causal::kNone) {
    const std::int64_t window_end = window_keys(problem, last, problem.window).high;
    after = std::clamp((window_end + kBigBirdBlock - 1) / kBigBirdBlock, before, blocks);
  }
  const std::int64_t candidates = before - start + blocks - after;
  RandomBlocks out;
  const std::int64_t wanted = std::min(problem.random_blocks, candidates);
  ATTNLAB_CHECK(wanted <= kMaxRandomBlocks);
  const auto begin = out.index.begin();
  // Floyd's sampling without replacement: Bentley & Floyd, A sample of brilliance, CACM 1987.
  for (std::int64_t most = candidates - wanted; most < candidates; ++most) {
    const std::int64_t drawn = draw_below(most + 1, problem.seed, head, query_block, out.count);
    const bool taken = std::find(begin, begin + out.count, drawn) != begin + out.count;
    out.index[static_cast<std::size_t>(out.count++)] = taken ? most : drawn;
  }
  std::sort(begin, begin + out.count);
  for (std::int64_t& index : std::span(begin, begin + out.count)) {
    index += index < before - start ? start : after - (before - start);
  }
  return out;
}

void mark_visible(const Problem& problem, Operator op, std::int64_t head, std::int64_t query,
                  std::span<std::uint8_t> visible) {
  ATTNLAB_CHECK(static_cast<std::int64_t>(visible.size()) == problem.nk);
  const std::int64_t p = query + problem.shift();
  const auto mark = [&](std::int64_t low, std::int64_t high) {
    for (std::int64_t j = low; j < high; ++j) visible[static_cast<std::size_t>(j)] = 1;
  };
  std::fill(visible.begin(), visible.end(), std::uint8_t{0});
  const Interval past = causal_keys(problem, p);
  switch (op) {
    case Operator::kDense:
    case Operator::kLinear:
    case Operator::kPerformer:
      mark(past.low, past.high);
      return;
    case Operator::kStrided: {
      const std::int64_t stride = problem.effective_stride();
      const Interval near = window_keys(problem, p, stride);
      mark(near.low, near.high);
      for (std::int64_t j = past.low; j < past.high; ++j) {
        if ((p - j) % stride == 0) mark(j, j + 1);
      }
      return;
    }
    case Operator::kWindow:
    case Operator::kBigBird:
      if (is_global(problem, p)) return mark(past.low, past.high);
      const Interval near = window_keys(problem, p, problem.window);
      mark(near.low, near.high);
      mark(0, std::min(problem.global_tokens, past.high));
      if (op == Operator::kBigBird) {
        const RandomBlocks blocks = random_key_blocks(problem, head, query / kBigBirdBlock);
        for (int b = 0; b < blocks.count; ++b) {
          const std::int64_t block = blocks.index[static_cast<std::size_t>(b)];
          mark(block * kBigBirdBlock, block_end(problem, block));
        }
      }
      return;
  }
}

std::int64_t visible_keys(const Problem& problem, Operator op, std::int64_t head,
                          std::int64_t query) {
  const std::int64_t p = query + problem.shift();
  const Interval past = causal_keys(problem, p);
  if (op == Operator::kStrided) {
    const std::int64_t stride = problem.effective_stride();
    // Keys p - m stride, m >= 1, below nk and from 0 on; without causality the mirrored ones too.
    const std::int64_t farthest = p >= 0 ? p / stride : 0;
    const std::int64_t beyond = std::max<std::int64_t>(p - problem.nk + 1, 0);
    const std::int64_t nearest = std::max<std::int64_t>((beyond + stride - 1) / stride, 1);
    std::int64_t seen = window_keys(problem, p, stride).length();
    seen += std::max<std::int64_t>(farthest - nearest + 1, 0);
    if (problem.causal == Causal::kNone && p < problem.nk) seen += (problem.nk - 1 - p) / stride;
    return seen;
  }
  if ((op != Operator::kWindow && op != Operator::kBigBird) || is_global(problem, p)) {
    return past.length();
  }
  const std::int64_t global = std::min(problem.global_tokens, past.high);
  Interval near = window_keys(problem, p, problem.window);
  near.low = std::max(near.low, global);
  std::int64_t seen = global + near.length();
  if (op == Operator::kBigBird) {
    const RandomBlocks blocks = random_key_blocks(problem, head, query / kBigBirdBlock);
    for (int b = 0; b < blocks.count; ++b) {
      const std::int64_t block = blocks.index[static_cast<std::size_t>(b)];
      seen += block_end(problem, block) - block * kBigBirdBlock;
    }
  }
  return seen;
}

}  // namespace attnlab
