// The statistics of attention_statistics.h in float64 with whole rows, as their definitions read.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "analysis/attention_statistics.h"
#include "analysis/softmax_row.h"
#include "attention/pattern.h"

namespace attnlab {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The logits of one row after another; the keys of a head are widened once.
class PlainHead {
 public:
  PlainHead(const Problem& problem, Operator op, const Operands& operands, std::int64_t b,
            std::int64_t h)
      : p_(problem), op_(op), x_(operands), b_(b), h_(h) {
    const std::int64_t kv = p_.kv_head(h), d = p_.head_dim;
    keys_.resize(static_cast<std::size_t>(p_.nk * d));
    for (std::int64_t j = 0; j < p_.nk; ++j) {
      widen(x_.k.row(b, kv, j), x_.k.dtype, keys_.data() + j * d);
    }
    query_.resize(static_cast<std::size_t>(d));
    seen_.resize(static_cast<std::size_t>(p_.nk));
    logits.resize(static_cast<std::size_t>(p_.nk));
  }

  // Fills logits (-inf: hidden) and what of `row` they tell without a softmax. False when the row
  // has no finite weights or sees no key.
  bool read(std::int64_t query, AttentionRow& row) {
    mark_visible(p_, op_, h_, query, seen_);
    widen(x_.q.row(b_, h_, query), x_.q.dtype, query_.data());
    const double scale = p_.effective_scale();
    row = {};
    row.largest = -kInfinity;
    row.smallest = kInfinity;
    bool finite = true;
    for (std::int64_t j = 0; j < p_.nk; ++j) {
      double& logit = logits[static_cast<std::size_t>(j)];
      const double bias = x_.mask.bias(b_, h_, query, j);
      logit = -kInfinity;
      if (seen_[static_cast<std::size_t>(j)] == 0 || bias == -kInfinity) continue;
      double product = 0;
      for (std::int64_t c = 0; c < p_.head_dim; ++c) {
        product += query_[static_cast<std::size_t>(c)] *
                   keys_[static_cast<std::size_t>(j * p_.head_dim + c)];
      }
      logit = scale * product + bias;
      if (logit == -kInfinity) continue;
      ++row.visible;
      finite = finite && std::isfinite(logit);
      row.unscaled = std::max(row.unscaled, std::abs(product));
      row.largest = std::max(row.largest, logit);
      row.smallest = std::min(row.smallest, logit);
    }
    if (row.is_masked()) row.largest = row.smallest = 0;
    if (!finite) {
      row.largest = row.smallest = row.unscaled = row.denominator = row.entropy = kNan;
      row.max_weight = row.gradient_scale = row.first_weight = kNan;
    }
    return finite && !row.is_masked();
  }

  std::vector<double> logits;

 private:
  void widen(const std::byte* from, Dtype dtype, double* to) const {
    for (std::int64_t c = 0; c < p_.head_dim; ++c) to[c] = load_element(from, dtype, c);
  }

  const Problem& p_;
  const Operator op_;
  const Operands& x_;
  const std::int64_t b_, h_;
  std::vector<double> keys_, query_;
  std::vector<std::uint8_t> seen_;
};

// exp(x - largest x) for a logit.
double relative_weight(const Problem& p, double logit, double largest) {
  if (logit == largest) return 1;
  const double gap = (logit - largest) / p.temperature;
  return p.temperature == 0 || !std::isfinite(gap) ? 0 : std::exp(gap);
}

class Plain {
 public:
  Plain(const Problem& problem, Operator op, const Operands& operands,
        const StatisticsRequest& request)
      : p_(problem), op_(op), operands_(operands), request_(request) {
    const auto size = [](std::int64_t count) { return static_cast<std::size_t>(count); };
    const std::int64_t heads = p_.batch * p_.heads, cells = request.map_cells;
    out_.rows.resize(size(heads * p_.nq));
    out_.zeros.assign(size(heads), 0);
    if (request.columns || cells > 0) {
      out_.column_weights.assign(size(heads * p_.nk), 0);
      out_.column_queries.assign(size(heads * p_.nk), 0);
    }
    if (cells == 0) return;
    row_cell_ = map_cell_size(p_.nq, cells);
    key_cell_ = map_cell_size(p_.nk, cells);
    columns_ = map_cell_count(p_.nk, cells);
    strips_ = map_cell_count(p_.nq, cells);
    out_.map.assign(size(heads * strips_ * columns_), 0);
  }

  void head(std::int64_t index, const Watch& watch) {
    PlainHead plain(p_, op_, operands_, index / p_.heads, index % p_.heads);
    std::vector<double> seen;
    for (std::int64_t i = 0; i < p_.nq && !watch.stopped(); ++i) {
      AttentionRow& row = out_.rows[static_cast<std::size_t>(index * p_.nq + i)];
      if (!plain.read(i, row)) continue;
      seen.clear();
      for (const double logit : plain.logits) {
        if (logit > -kInfinity) seen.push_back(logit);
      }
      const RowStatistics statistics = softmax_row(seen, 1, p_.temperature);
      row.entropy = statistics.entropy;
      row.max_weight = statistics.max_weight;
      row.gradient_scale = statistics.gradient_scale;
      row.denominator = 1 / statistics.max_weight;
      row.first_weight = plain.logits[0] == -kInfinity
                             ? kNan
                             : relative_weight(p_, plain.logits[0], row.largest) * row.max_weight;
      add_weights(index, i, row, plain.logits);
    }
  }

  AttentionStatistics take() { return std::move(out_); }

 private:
  void add_weights(std::int64_t head, std::int64_t i, const AttentionRow& row,
                   const std::vector<double>& logits) {
    const double zero = std::ldexp(1.0, static_cast<int>(kZeroWeightExponent));
    for (std::int64_t j = 0; j < p_.nk; ++j) {
      const double logit = logits[static_cast<std::size_t>(j)];
      if (logit == -kInfinity) continue;
      const double weight = relative_weight(p_, logit, row.largest) * row.max_weight;
      if (weight < zero) ++out_.zeros[static_cast<std::size_t>(head)];
      if (out_.column_weights.empty()) continue;
      const auto at = static_cast<std::size_t>(head * p_.nk + j);
      out_.column_weights[at] += weight;
      out_.column_queries[at] += 1;
      if (columns_ == 0) continue;
      const std::int64_t cell = (head * strips_ + i / row_cell_) * columns_ + j / key_cell_;
      out_.map[static_cast<std::size_t>(cell)] += weight;
    }
  }

  const Problem& p_;
  const Operator op_;
  const Operands& operands_;
  const StatisticsRequest& request_;
  std::int64_t row_cell_ = 0, key_cell_ = 0, columns_ = 0, strips_ = 0;
  AttentionStatistics out_;
};

}  // namespace

AttentionStatistics plain_statistics(const Problem& problem, Operator op, const Operands& operands,
                                     const StatisticsRequest& request, ThreadTeam& team,
                                     Watch& watch) {
  Plain plain(problem, op, operands, request);
  team.run(problem.batch * problem.heads, [&](std::int64_t head, int) { plain.head(head, watch); });
  return plain.take();
}

bool attention_weights(const Problem& problem, Operator op, const Operands& operands,
                       std::int64_t batch, std::int64_t head, std::int64_t query,
                       std::span<double> weights) {
  PlainHead plain(problem, op, operands, batch, head);
  AttentionRow row;
  const bool finite = plain.read(query, row);
  double sum = 0;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const bool hidden = plain.logits[j] == -kInfinity;
    weights[j] = hidden   ? 0
                 : finite ? relative_weight(problem, plain.logits[j], row.largest)
                          : kNan;
    sum += weights[j];
  }
  if (finite) {
    for (double& weight : weights) weight /= sum;
  }
  return finite;
}

}  // namespace attnlab
