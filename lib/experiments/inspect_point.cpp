#include "experiments/inspect_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "analysis/attention_statistics.h"
#include "analysis/readouts.h"
#include "base/number.h"
#include "base/text.h"
#include "experiments/inspect_norms.h"
#include "experiments/inspect_notes.h"
#include "experiments/inspect_output.h"
#include "experiments/inspect_tables.h"

namespace attnlab {
namespace {

constexpr std::int64_t kPlainMacs = 1 << 24;  // of one query head
constexpr std::int64_t kFewWeights = 4096;    // of all heads: the table has them all

// A part of the work that tells its progress as a part.
class PartOfWatch : public Watch {
 public:
  PartOfWatch(Watch& whole, double from, double to) : whole_(whole), from_(from), to_(to) {}
  void progress(double share_done) override { whole_.progress(from_ + (to_ - from_) * share_done); }
  bool stopped() const override { return whole_.stopped(); }

 private:
  Watch& whole_;
  const double from_, to_;
};

std::int64_t head_macs(const OperandShape& shape) {
  const double macs =
      static_cast<double>(shape.nq) * static_cast<double>(shape.nk) * static_cast<double>(shape.d);
  return macs > 9e18 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(macs);
}

class PointRun {
 public:
  PointRun(const InspectSettings& settings, const InspectPoint& point, OperandSource& source,
           const MaskData& mask, bool is_first_of_data, ThreadTeam& team, Watch& watch,
           std::vector<Table>& tables)
      : settings_(settings),
        point_(point),
        source_(source),
        shape_(source.shape()),
        mask_(mask),
        wants_norms_(is_first_of_data),
        team_(team),
        watch_(watch),
        tables_(tables),
        problem_(group_problem(settings, point, shape_, mask.shape())),
        is_plain_(attnlab::is_plain(shape_)),
        rows_(settings.wanted_rows()) {
    request_ = {.columns = settings.sinks, .map_cells = settings.map.value_or(0)};
    const double weights = static_cast<double>(shape_.batch * shape_.heads) *
                           static_cast<double>(shape_.nq) * static_cast<double>(shape_.nk);
    if (!settings.rows && weights <= kFewWeights) {
      for (std::int64_t i = 0; i < shape_.nq; ++i) rows_.push_back(i);
    }
    if (!rows_.empty() && rows_.back() >= shape_.nq) {
      throw UserError(settings.rows ? "rows" : "",
                      fmt::format("query {} is not there", rows_.back()),
                      fmt::format("queries are 0 to {}", shape_.nq - 1));
    }
    if (settings.write_output) output_.emplace(*settings.write_output, settings, shape_);
  }

  void run() {
    const std::int64_t groups = shape_.batch * shape_.kv_heads;
    for (std::int64_t task = 0; task < groups && !watch_.stopped(); ++task) {
      const double from = static_cast<double>(task) / static_cast<double>(groups);
      PartOfWatch part(watch_, from, from + 1 / static_cast<double>(groups));
      const std::int64_t batch = task / shape_.kv_heads, kv_head = task % shape_.kv_heads;
      if (is_plain_) {
        group<double>(batch, kv_head, part);
      } else {
        group<float>(batch, kv_head, part);
      }
    }
    if (watch_.stopped()) return;
    if (output_) output_->write();
    add_summary();
  }

 private:
  InspectPlace place(std::int64_t batch, std::int64_t head) const {
    return {&point_, source_.layer(), batch, head};
  }

  template <class T>
  void group(std::int64_t batch, std::int64_t kv_head, Watch& watch) {
    HeadGroup<T> data;
    source_.read(batch, kv_head, data, watch);
    if (watch.stopped()) return;
    beyond_ += data.beyond;
    const std::int64_t first_head = kv_head * shape_.group();
    const Index4 q_shape{1, shape_.group(), shape_.nq, shape_.d};
    const Index4 k_shape{1, 1, shape_.nk, shape_.d};
    const Operands operands{.q = ConstView(data.q.data(), q_shape),
                            .k = ConstView(data.k.data(), k_shape),
                            .mask = mask_.view(batch, first_head)};
    const auto statistics =
        is_plain_ ? plain_statistics(problem_, settings_.op(), operands, request_, team_, watch)
                  : streamed_statistics(problem_, settings_.op(), operands, request_, team_, watch);
    if (watch.stopped()) return;
    const HeadNorms k(data.k.data(), shape_.nk, shape_.d, watch);
    const HeadNorms v(data.v.data(), data.v.empty() ? 0 : shape_.nk, shape_.dv.value_or(0), watch);
    nonfinite_ += k.nonfinite + v.nonfinite;
    add_norms(batch, "k", kv_head, k);
    if (!data.v.empty()) add_norms(batch, "v", kv_head, v);
    for (std::int64_t g = 0; g < shape_.group(); ++g) {
      const HeadNorms q(data.q.data() + g * shape_.nq * shape_.d, shape_.nq, shape_.d, watch);
      nonfinite_ += q.nonfinite;
      add_norms(batch, "q", first_head + g, q);
      add_head(batch, first_head + g, statistics, g, q.nonfinite + k.nonfinite + v.nonfinite);
      add_weights(batch, first_head + g, g, operands);
      if (request_.map_cells > 0) add_map(batch, first_head + g, statistics, g);
      if (settings_.sinks) add_sinks(batch, first_head + g, statistics, g);
    }
    if (output_) output_->add(problem_, settings_.op(), operands, data.v, batch, first_head, team_);
  }

  void add_head(std::int64_t batch, std::int64_t head, const AttentionStatistics& statistics,
                std::int64_t g, std::int64_t nonfinite) {
    ReadoutSums sums;
    sums.add(
        std::span(statistics.rows)
            .subspan(static_cast<std::size_t>(g * shape_.nq), static_cast<std::size_t>(shape_.nq)),
        statistics.zeros[static_cast<std::size_t>(g)], problem_.effective_scale(),
        point_.temperature);
    const std::vector<std::string_view> flags = sums.flags();
    const Readouts readouts = sums.readouts();
    auto row = add_inspect_row(settings_, place(batch, head), inspect_table(tables_, "inspect"));
    set_readouts(row, readouts, nonfinite,
                 join(std::vector<std::string>(flags.begin(), flags.end()), ", "));
    if (const std::string reason = missing_reason(readouts, point_); !reason.empty()) {
      row.set("reason", reason);
    }
    if (has_inspect_table(tables_, "readouts")) {
      add_inspect_row(settings_, place(batch, head), inspect_table(tables_, "readouts"))
          .set("spread", readouts.spread)
          .set("entropy", readouts.entropy)
          .set("max_weight", readouts.max_weight)
          .set("gradient_scale", readouts.gradient_scale)
          .set("flags", join(std::vector<std::string>(flags.begin(), flags.end()), ", "));
    }
    nonfinite_rows_ += readouts.nonfinite_rows;
    all_.merge(sums);
    flags_of_heads_.push_back(flags);
    saturated_.add(sums, flags, batch, head);
  }

  void add_summary() {
    InspectPlace all = place(0, 0);
    all.batch = all.head = std::string("all");
    const Readouts readouts = all_.readouts();
    auto row = add_inspect_row(settings_, all, inspect_table(tables_, "inspect"));
    set_readouts(row, readouts, nonfinite_, flags_of_all(flags_of_heads_));
    if (const std::string reason = missing_reason(readouts, point_); !reason.empty()) {
      row.set("reason", reason);
    }
    Table& notes =
        inspect_table(tables_, has_inspect_table(tables_, "readouts") ? "readouts" : "inspect");
    const SpoiledRows spoiled{first_nonfinite_, nonfinite_,           beyond_,
                              nonfinite_rows_,  readouts.masked_rows, mask_.warning()};
    for (std::string& note :
         point_notes(settings_, point_, source_, is_plain_, saturated_, spoiled)) {
      notes.add_note(std::move(note));
    }
    if (settings_.input() == InspectInput::kWords && rows_.empty()) {
      notes.add_note("So many weights are shown where --rows names their queries, or by --map.");
    }
  }

  void add_norms(std::int64_t batch, const char* tensor, std::int64_t head, const HeadNorms& of) {
    if (of.nonfinite > 0 && first_nonfinite_.empty()) {
      first_nonfinite_ = fmt::format("{} at [batch, head, row, component] = [{}, {}, {}, {}]",
                                     tensor, batch, head, of.first_row, of.first_component);
    }
    if (!wants_norms_) return;
    Table& table = inspect_table(tables_, "norms");
    Table::RowWriter row = table.add_row();
    if (table.index_of("d") >= 0) row.set("d", point_.d);
    row.set("layer", source_.layer()).set("batch", batch).set("tensor", tensor).set("head", head);
    if (of.rows > 0) {
      row.set("norm", of.sum / static_cast<double>(of.rows))
          .set("norm_min", of.smallest)
          .set("norm_max", of.largest);
    }
    row.set("nonfinite", of.nonfinite);
    if (of.nonfinite > 0) {
      row.set("first_nonfinite", std::vector<std::int64_t>{of.first_row, of.first_component});
    }
  }

  void add_weights(std::int64_t batch, std::int64_t head, std::int64_t g,
                   const Operands& operands) {
    Table& table = inspect_table(tables_, "weights");
    const bool is_words = settings_.input() == InspectInput::kWords;
    const std::vector<std::string> words =
        is_words ? settings_.words() : std::vector<std::string>{};
    std::vector<double> weights(static_cast<std::size_t>(rows_.empty() ? 0 : shape_.nk));
    for (const std::int64_t query : rows_) {
      attention_weights(problem_, settings_.op(), operands, 0, g, query, weights);
      for (std::int64_t key = 0; key < shape_.nk; ++key) {
        auto row = add_inspect_row(settings_, place(batch, head), table);
        row.set("query", query).set("key", key);
        if (is_words) {
          row.set("query_token", words[static_cast<std::size_t>(query)])
              .set("key_token", words[static_cast<std::size_t>(key)]);
        }
        row.set("weight", weights[static_cast<std::size_t>(key)]);
      }
    }
  }

  void add_map(std::int64_t batch, std::int64_t head, const AttentionStatistics& statistics,
               std::int64_t g) {
    Table& table = inspect_table(tables_, "map");
    const std::int64_t cells = request_.map_cells;
    const std::int64_t row_size = map_cell_size(shape_.nq, cells);
    const std::int64_t key_size = map_cell_size(shape_.nk, cells);
    const std::int64_t strips = map_cell_count(shape_.nq, cells);
    const std::int64_t columns = map_cell_count(shape_.nk, cells);
    for (std::int64_t s = 0; s < strips; ++s) {
      const std::int64_t first = s * row_size, end = std::min(first + row_size, shape_.nq);
      std::int64_t rows = 0;
      for (std::int64_t i = first; i < end; ++i) {
        const AttentionRow& row = statistics.rows[static_cast<std::size_t>(g * shape_.nq + i)];
        rows += !row.is_masked() && row.is_finite();
      }
      for (std::int64_t c = 0; c < columns; ++c) {
        const double sum = statistics.map[static_cast<std::size_t>((g * strips + s) * columns + c)];
        add_inspect_row(settings_, place(batch, head), table)
            .set("query_first", first)
            .set("query_last", end - 1)
            .set("key_first", c * key_size)
            .set("key_last", std::min((c + 1) * key_size, shape_.nk) - 1)
            .set("weight", rows == 0 ? 0.0 : sum / static_cast<double>(rows));
      }
    }
    if (row_size * key_size > 1) table.add_note(pooling_note(row_size, key_size));
  }

  void add_sinks(std::int64_t batch, std::int64_t head, const AttentionStatistics& statistics,
                 std::int64_t g) {
    for (std::int64_t key = 0; key < shape_.nk; ++key) {
      const auto at = static_cast<std::size_t>(g * shape_.nk + key);
      const double queries = statistics.column_queries[at];
      const double mean = statistics.column_weights[at] / queries;
      if (queries < static_cast<double>(kSinkQueries) || !(mean > kSinkMass)) continue;
      add_inspect_row(settings_, place(batch, head), inspect_table(tables_, "sinks"))
          .set("key", key)
          .set("queries", static_cast<std::int64_t>(queries))
          .set("mean_weight", mean);
    }
  }

  const InspectSettings& settings_;
  const InspectPoint& point_;
  OperandSource& source_;
  const OperandShape& shape_;
  const MaskData& mask_;
  const bool wants_norms_;
  ThreadTeam& team_;
  Watch& watch_;
  std::vector<Table>& tables_;
  const Problem problem_;
  const bool is_plain_;
  std::vector<std::int64_t> rows_;
  StatisticsRequest request_;
  std::optional<InspectOutput> output_;

  ReadoutSums all_;
  std::vector<std::vector<std::string_view>> flags_of_heads_;
  SaturatedHeads saturated_;
  std::string first_nonfinite_;
  std::int64_t nonfinite_ = 0, nonfinite_rows_ = 0, beyond_ = 0;
};

}  // namespace

Problem group_problem(const InspectSettings& settings, const InspectPoint& point,
                      const OperandShape& shape, const MaskShape& mask) {
  Problem out;
  out.heads = shape.group();
  out.nq = shape.nq;
  out.nk = shape.nk;
  out.head_dim = shape.d;
  out.head_dim_v = shape.dv.value_or(shape.d);
  out.causal = settings.causal;
  out.scale = point.scale.factor(static_cast<double>(shape.d));
  out.temperature = point.temperature;
  out.mask = mask;
  out.mask.per_batch = false;  // one sequence at a time
  if (settings.window) out.window = *settings.window;
  return out;
}

bool is_plain(const OperandShape& shape) { return head_macs(shape) <= kPlainMacs; }

InspectNeeds inspect_needs(const InspectSettings& settings, const InspectPoint& point,
                           const OperandShape& shape, double mask_bytes) {
  const auto real = [](std::int64_t count) { return static_cast<double>(count); };
  const double number = is_plain(shape) ? 8 : 4;
  const Problem problem = group_problem(settings, point, shape, {});
  const StatisticsRequest request{settings.sinks, settings.map.value_or(0)};
  const double dv = real(shape.dv.value_or(0));
  const double heads = real(shape.batch * shape.heads);
  double bytes =
      number * (real(shape.group() * shape.nq * shape.d) + real(shape.nk) * (real(shape.d) + dv));
  bytes += statistics_bytes(problem, request, 1) + mask_bytes;
  if (settings.write_output) {
    bytes += 4 * (heads + 2 * real(shape.group())) * real(shape.nq) * dv;
    bytes += 4 * real(shape.nk) * (real(shape.d) + dv);
  }
  const double cells = real(request.map_cells);
  double table_rows =
      heads * (real(static_cast<std::int64_t>(settings.wanted_rows().size())) * real(shape.nk) +
               cells * cells + 4);
  if (!settings.rows) table_rows += real(kFewWeights);
  bytes += 1000 * table_rows;
  const bool second = settings.sinks || cells > 0;
  const double rate = is_plain(shape) ? 4e8 : second ? 1.5e10 : 3e10;  // a typical core
  const double macs = heads * real(shape.nq) * real(shape.nk) * real(shape.d);
  constexpr double kDraw = 5e-6;  // of numbers for a word, roughly, beside its products
  const double draws = real(settings.draws) * (macs / 4e8 + kDraw * real(shape.nq));
  return {bytes, macs / rate + draws};
}

void run_inspect_point(const InspectSettings& settings, const InspectPoint& point,
                       OperandSource& source, const MaskData& mask, bool is_first_of_data,
                       ThreadTeam& team, Watch& watch, std::vector<Table>& tables) {
  PointRun(settings, point, source, mask, is_first_of_data, team, watch, tables).run();
}

}  // namespace attnlab
