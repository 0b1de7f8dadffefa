#include "experiments/sweep_processes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "machine/process.h"

namespace attnlab {
namespace {

constexpr const char* kProcessVariable = "ATTNLAB_SWEEP_PROCESS";
// Exit codes that come with a whole document: done, a row failed, every row refused.
constexpr std::array kWithDocument{0, 1, 4};

std::string flag_text(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (!value.is_array()) return value.dump();
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(flag_text(item));
  return join(items, ",");
}

template <class T>
std::optional<T> value_of(const Json& row, const char* column) {
  const Json& value = row.at(column);
  return value.is_null() ? std::nullopt : std::optional<T>(value.get<T>());
}

const Json& rows_of(const Json& document, std::string_view table) {
  for (const Json& one : document.at("tables")) {
    if (one.at("name") == Json(table)) return one.at("rows");
  }
  throw RunError("--runs", fmt::format("a process gave no table {}", table), "");
}

// The row of a kernel among those of a table, or nullptr.
const Json* row_of(const Json& rows, const SweepKernel& kernel) {
  for (const Json& row : rows) {
    if (row.at("kernel") == Json(kernel.name) && row.at("isa") == Json(kernel.isa)) return &row;
  }
  return nullptr;
}

std::optional<SweepErrors> errors_of(const Json& row) {
  const auto ratio = value_of<double>(row, "error_ratio");
  if (!ratio) return std::nullopt;
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  return SweepErrors{value_of<double>(row, "max_error").value_or(kNan), *ratio,
                     value_of<double>(row, "approximation_error").value_or(kNan)};
}

void merge_row(const Json& found, const Json* order, bool is_first, SweepRow& row) {
  const auto status = found.at("status").get<std::string>();
  if (is_first || (row.status == "ok" && status != "ok")) {
    row.status = status;
    row.reason = value_of<std::string>(found, "reason").value_or("");
  }
  if (is_first) {
    row.macs = value_of<std::int64_t>(found, "macs");
    row.workspace_bytes = value_of<std::int64_t>(found, "workspace_bytes");
    row.working_set_bytes = value_of<std::int64_t>(found, "working_set_bytes");
    row.errors = errors_of(found);
  }
  if (row.status != "ok") {  // a wrong result or a limit in one process: no time counts
    row.samples.clear();
    row.orders.clear();
    return;
  }
  if (!found.contains("time_samples") || order == nullptr) return;
  row.samples.push_back(found.at("time_samples").at(0).get<std::vector<double>>());
  row.orders.push_back(order->at("order").get<std::vector<std::int64_t>>());
  if (found.contains("time_to_first_token")) {
    const auto first = value_of<double>(found, "time_to_first_token");
    if (first) row.first_token.push_back(*first);
  }
  const double share = value_of<double>(found, "peak_share").value_or(0);
  if (share > 0) {
    const double peak = found.at("flops_per_second").get<double>() / share;
    row.peak = std::max(row.peak.value_or(0), peak);
  }
}

}  // namespace

std::optional<SweepProcess> sweep_process() {
  const char* text = std::getenv(kProcessVariable);
  if (text == nullptr) return std::nullopt;
  const std::vector<std::string> words = split(text, '/');
  if (words.size() != 2) return std::nullopt;
  const auto index = integer_from_text(words[0]), count = integer_from_text(words[1]);
  if (!index || !count) return std::nullopt;
  return SweepProcess{*index, *count};
}

std::vector<std::string> process_arguments(const ParameterList& parameters, const SweepPoint& point,
                                           double allowed_bytes) {
  std::vector<std::string> out{"sweep"};
  for (const Parameter& parameter : parameters.all()) {
    const std::string& name = parameter.name();
    Json value = parameter.value();
    if (parameter.is_list() && name != "kernel" && name != "isa") value = axis_value(point, name);
    if (name == "runs") value = 1;
    // The same limit whatever the machine has left when the process starts.
    if (name == "max_memory" && std::isfinite(allowed_bytes)) {
      value = static_cast<std::int64_t>(std::min(allowed_bytes, 1e18));
    }
    out.push_back(parameter.flag() + "=" + flag_text(value));
  }
  out.insert(out.end(), {"--format=json", "--no-progress"});
  return out;
}

void merge_rows(const std::string& document, const std::vector<SweepKernel>& kernels,
                std::vector<SweepRow>& rows) {
  const bool is_first = rows.empty();
  std::vector<SweepRow> merged = rows;
  merged.resize(kernels.size());
  try {
    const Json parsed = Json::parse(document);
    const Json& found = rows_of(parsed, "sweep");
    const Json& orders = rows_of(parsed, "order");
    for (std::size_t i = 0; i < kernels.size(); ++i) {
      const Json* row = row_of(found, kernels[i]);
      if (row == nullptr) {
        throw RunError("--runs", "a process gave no row of " + kernels[i].name, "");
      }
      merge_row(*row, row_of(orders, kernels[i]), is_first, merged[i]);
    }
  } catch (const Json::exception& error) {
    throw RunError("--runs", fmt::format("a process gave no result: {}", error.what()), "");
  }
  rows = std::move(merged);
}

std::string run_sweep_process(const ParameterList& parameters, const SweepSettings& settings,
                              const SweepPoint& point, std::int64_t process, double allowed_bytes,
                              const Watch& watch) {
  const std::string which = fmt::format("{}/{}", process, settings.runs);
  const ProcessResult done =
      run_process(own_program(), process_arguments(parameters, point, allowed_bytes),
                  {{kProcessVariable, which}}, watch);
  const bool has_document =
      std::find(kWithDocument.begin(), kWithDocument.end(), done.exit_code) != kWithDocument.end();
  if (!has_document && !watch.stopped()) {
    throw RunError("--runs",
                   fmt::format("process {} ended with exit code {}: {}", process, done.exit_code,
                               printable(done.errors, 400)),
                   "");
  }
  return done.output;
}

}  // namespace attnlab
