#include "tensor/contraction_plan.h"

#include <algorithm>
#include <bitset>
#include <limits>

namespace attnlab {
namespace {

constexpr std::size_t kMostIndices = 256;
using IndexSet = std::bitset<kMostIndices>;

IndexSet set_of(const std::vector<int>& indices) {
  IndexSet out;
  for (const int index : indices) {
    if (index != Contraction::kShared) out.set(static_cast<std::size_t>(index));
  }
  return out;
}

class Planner {
 public:
  explicit Planner(const Contraction& contraction)
      : contraction_(contraction), count_(contraction.operands.size()) {
    for (const auto& operand : contraction.operands) own_.push_back(set_of(operand));
    wanted_ = set_of(contraction.output);
    // Without what no other operand and not the result has.
    for (std::size_t o = 0; o < count_; ++o) {
      IndexSet others = wanted_;
      for (std::size_t p = 0; p < count_; ++p) {
        if (p != o) others |= own_[p];
      }
      kept_.push_back(own_[o] & others);
    }
  }

  ContractionPlan plan() {
    for (std::size_t o = 0; o < count_; ++o) {
      plan_.additions += size(own_[o]) - size(kept_[o]);
      nodes_.push_back({static_cast<int>(o), kept_[o], contraction_.operands[o]});
    }
    if (count_ <= kExhaustiveOperands) {
      if (count_ > 1) build(best_splits(), (std::size_t{1} << count_) - 1);
    } else {
      greedy();
    }
    for (const ContractionStep& step : plan_.steps) plan_.macs += step.macs;
    return std::move(plan_);
  }

 private:
  // An operand or the result of a step.
  struct Node {
    int number;
    IndexSet indices;
    std::vector<int> order;
  };

  std::int64_t size(const IndexSet& set) const {
    std::int64_t out = 1;
    for (std::size_t i = 0; i < contraction_.indices.size(); ++i) {
      if (set[i]) out *= contraction_.indices[i].size;
    }
    return out;
  }

  // What the contraction of a subset of the operands leaves.
  IndexSet left_of(std::size_t subset) const {
    if ((subset & (subset - 1)) == 0) {
      for (std::size_t o = 0; o < count_; ++o) {
        if (subset >> o & 1) return kept_[o];
      }
    }
    IndexSet inside, outside = wanted_;
    for (std::size_t o = 0; o < count_; ++o) (subset >> o & 1 ? inside : outside) |= kept_[o];
    return inside & outside;
  }

  // For every subset of two operands and more the part of it whose result is the left operand of
  // the last step.
  std::vector<std::size_t> best_splits() const {
    const std::size_t subsets = std::size_t{1} << count_;
    std::vector<double> cost(subsets, 0);
    std::vector<std::size_t> split(subsets, 0);
    std::vector<IndexSet> left(subsets);
    for (std::size_t subset = 1; subset < subsets; ++subset) left[subset] = left_of(subset);
    for (std::size_t subset = 1; subset < subsets; ++subset) {
      if ((subset & (subset - 1)) == 0) continue;
      cost[subset] = std::numeric_limits<double>::infinity();
      const std::size_t lowest = subset & (~subset + 1);
      // Parts with the first operand, so that each pair is looked at once.
      for (std::size_t part = subset; part != 0; part = (part - 1) & subset) {
        if (part == subset || (part & lowest) == 0) continue;
        const double here = cost[part] + cost[subset ^ part] +
                            static_cast<double>(size(left[part] | left[subset ^ part]));
        if (here < cost[subset]) {
          cost[subset] = here;
          split[subset] = part;
        }
      }
    }
    return split;
  }

  // Adds the steps of a subset; returns the node of their result.
  std::size_t build(const std::vector<std::size_t>& split, std::size_t subset) {
    if ((subset & (subset - 1)) == 0) {
      std::size_t operand = 0;
      while ((subset >> operand & 1) == 0) ++operand;
      return operand;
    }
    const std::size_t left = build(split, split[subset]);
    const std::size_t right = build(split, subset ^ split[subset]);
    return add_step(left, right, left_of(subset));
  }

  void greedy() {
    std::vector<std::size_t> open;
    for (std::size_t o = 0; o < count_; ++o) open.push_back(o);
    while (open.size() > 1) {
      std::size_t best_a = 0, best_b = 1;
      std::int64_t best = std::numeric_limits<std::int64_t>::max();
      for (std::size_t a = 0; a < open.size(); ++a) {
        for (std::size_t b = a + 1; b < open.size(); ++b) {
          const std::int64_t cost = size(nodes_[open[a]].indices | nodes_[open[b]].indices);
          if (cost < best) best = cost, best_a = a, best_b = b;
        }
      }
      IndexSet others = wanted_;
      for (std::size_t c = 0; c < open.size(); ++c) {
        if (c != best_a && c != best_b) others |= nodes_[open[c]].indices;
      }
      const IndexSet both = nodes_[open[best_a]].indices | nodes_[open[best_b]].indices;
      const std::size_t made = add_step(open[best_a], open[best_b], both & others);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(best_b));
      open[best_a] = made;
    }
  }

  std::size_t add_step(std::size_t left, std::size_t right, const IndexSet& result) {
    const Node a = nodes_[left], b = nodes_[right];
    ContractionStep step;
    step.left = a.number;
    step.right = b.number;
    IndexSet seen;
    for (const int index : a.order) {
      const auto i = static_cast<std::size_t>(index);
      if (index == Contraction::kShared || !a.indices[i] || seen[i]) continue;
      seen.set(i);
      (!b.indices[i] ? step.rows : result[i] ? step.batch : step.summed).push_back(index);
    }
    for (const int index : b.order) {
      const auto i = static_cast<std::size_t>(index);
      if (index == Contraction::kShared || !b.indices[i] || seen[i]) continue;
      seen.set(i);
      step.columns.push_back(index);
    }
    step.call = step.summed.empty()                         ? BlasCall::kNone
                : !step.batch.empty()                       ? BlasCall::kBatchedGemm
                : step.rows.empty() && step.columns.empty() ? BlasCall::kDot
                : step.rows.empty() || step.columns.empty() ? BlasCall::kGemv
                                                            : BlasCall::kGemm;
    step.macs = size(a.indices | b.indices);
    const int number = static_cast<int>(count_ + plan_.steps.size());
    nodes_.push_back({number, result, step.result()});
    plan_.steps.push_back(std::move(step));
    return nodes_.size() - 1;
  }

  const Contraction& contraction_;
  std::size_t count_;
  std::vector<IndexSet> own_, kept_;
  IndexSet wanted_;
  std::vector<Node> nodes_;
  ContractionPlan plan_;
};

}  // namespace

std::string_view blas_call_name(BlasCall call) {
  constexpr std::string_view kNames[] = {"none", "dot", "gemv", "gemm", "batched gemm"};
  return kNames[static_cast<int>(call)];
}

std::vector<int> ContractionStep::result() const {
  std::vector<int> out = batch;
  out.insert(out.end(), rows.begin(), rows.end());
  out.insert(out.end(), columns.begin(), columns.end());
  return out;
}

std::int64_t size_of(const Contraction& contraction, const std::vector<int>& indices) {
  std::int64_t out = 1;
  for (const int index : indices) out *= contraction.indices[static_cast<std::size_t>(index)].size;
  return out;
}

ContractionPlan plan_contraction(const Contraction& contraction) {
  return Planner(contraction).plan();
}

}  // namespace attnlab
