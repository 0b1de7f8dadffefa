#include "experiments/inspect_draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "analysis/attention_statistics.h"
#include "analysis/readouts.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_point.h"
#include "experiments/inspect_tables.h"

namespace attnlab {
namespace {

constexpr std::int64_t kDrawsAtOnce = 256;  // between two looks at the watch

struct Draw {
  Readouts readouts;
  bool is_saturated = false;
};

Draw draw_of(const InspectSettings& settings, const InspectPoint& point, std::uint64_t seed) {
  const auto source = drawn_operands(settings, point.d, seed);
  const OperandShape& shape = source->shape();
  HeadGroup<double> data;
  source->read(0, 0, data, Watch());
  const Operands operands{.q = ConstView(data.q.data(), {1, 1, shape.nq, shape.d}),
                          .k = ConstView(data.k.data(), {1, 1, shape.nk, shape.d})};
  const Problem problem = group_problem(settings, point, shape, {});
  ThreadTeam alone(1);
  Watch nobody;
  const auto statistics = plain_statistics(problem, settings.op(), operands, {}, alone, nobody);
  ReadoutSums sums;
  sums.add(statistics.rows, statistics.zeros[0], problem.effective_scale(), point.temperature);
  const auto flags = sums.flags();
  return {sums.readouts(), std::find(flags.begin(), flags.end(), "saturated") != flags.end()};
}

}  // namespace

void run_inspect_draws(const InspectSettings& settings, const InspectPoint& point, ThreadTeam& team,
                       Watch& watch, std::vector<Table>& tables) {
  std::int64_t saturated = 0;
  Readouts sum{};
  std::vector<Draw> draws(kDrawsAtOnce);
  for (std::int64_t first = 0; first < settings.draws; first += kDrawsAtOnce) {
    const std::int64_t some = std::min(kDrawsAtOnce, settings.draws - first);
    team.run(some, [&](std::int64_t task, int) {
      const auto seed = static_cast<std::uint64_t>(settings.seed + 1 + first + task);
      draws[static_cast<std::size_t>(task)] = draw_of(settings, point, seed);
    });
    if (watch.stopped()) return;
    for (const Draw& draw : std::span(draws).first(static_cast<std::size_t>(some))) {
      saturated += draw.is_saturated;  // in the order of the seeds, whatever the team
      sum.spread += draw.readouts.spread;
      sum.entropy += draw.readouts.entropy;
      sum.max_weight += draw.readouts.max_weight;
      sum.gradient_scale += draw.readouts.gradient_scale;
    }
    watch.progress(static_cast<double>(first + some) / static_cast<double>(settings.draws));
  }
  const auto count = static_cast<double>(settings.draws);
  const double share = static_cast<double>(saturated) / count;
  Table& table = inspect_table(tables, "draws");
  add_inspect_row(settings, {&point}, table)
      .set("draws", settings.draws)
      .set("saturated", saturated)
      .set("saturated_share", share)
      .set("spread", sum.spread / count)
      .set("entropy", sum.entropy / count)
      .set("max_weight", sum.max_weight / count)
      .set("gradient_scale", sum.gradient_scale / count);
}

}  // namespace attnlab
