// Results with times of known ratio.
#ifndef ATTNLAB_TESTS_COMPARE_TIMED_RESULT_H_
#define ATTNLAB_TESTS_COMPARE_TIMED_RESULT_H_

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "report/result.h"

namespace attnlab {

inline std::vector<Column> timed_columns() {
  Column error{"max_error", "", ColumnKind::kMeasured};
  error.better = Better::kLower;
  error.tolerance = {1, 1e-6, ""};
  Column bytes{"workspace_bytes", "", ColumnKind::kExact, "B", Better::kLower};
  return {{"kernel", "", ColumnKind::kParameter},
          {"isa", "", ColumnKind::kParameter},
          {"n", "", ColumnKind::kParameter},
          status_column(),
          reason_column(),
          {"time", "", ColumnKind::kTimed, "s", Better::kLower},
          {"macs", "", ColumnKind::kExact, "MAC"},
          bytes,
          error,
          {"speedup", "", ColumnKind::kDerived}};
}

// A row of `processes` lists of ten times about `time`; deterministic for a seed.
inline void add_timed_row(Table& table, const std::string& kernel, std::int64_t n, double time,
                          std::uint64_t seed, std::size_t processes = 5,
                          const std::string& isa = "avx2") {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  table.add_row()
      .set("kernel", kernel)
      .set("isa", isa)
      .set("n", n)
      .set("time", time)
      .set("macs", n * n)
      .set("workspace_bytes", n * 4)
      .set("max_error", 1e-7)
      .set("speedup", 1.0);
  for (std::size_t i = 0; i < processes; ++i) {
    const double own = time * std::exp(0.01 * normal(bits));
    auto& times = table.rows.back().time_samples.emplace_back();
    for (int k = 0; k < 10; ++k) times.push_back(own * std::exp(0.01 * normal(bits)));
  }
}

// Kernels naive and flash at n = 64 and 128; times of flash are `flash` times those of a plain run.
inline Result timed_result(std::uint64_t seed, double flash = 1, std::size_t processes = 5) {
  Result out;
  out.name = "timed";
  out.status = Status::kComplete;
  Table& table = out.tables.emplace_back("sweep", "sweep", timed_columns());
  for (const std::int64_t n : {64, 128}) {
    add_timed_row(table, "naive", n, 1e-6 * n, seed++, processes);
    add_timed_row(table, "flash", n, 0.5e-6 * n * flash, seed++, processes);
  }
  return out;
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_COMPARE_TIMED_RESULT_H_
