// The grid of `sweep`: every combination of its lists but those of kernels.
#include <fmt/format.h>

#include <utility>

#include "experiments/sweep_settings.h"

namespace attnlab {
namespace {

template <class T, class Body>
void each(const std::vector<T>& values, Body&& body) {
  for (const T& value : values) body(value);
}

// Generation is causal by its nature.
Causal causal_of(Causal given, SweepPhase phase) {
  return phase == SweepPhase::kGenerate && given == Causal::kNone ? Causal::kTopLeft : given;
}

}  // namespace

std::vector<SweepPoint> SweepSettings::points(int auto_threads) const {
  std::vector<SweepPoint> out;
  SweepPoint point;
  Problem& p = point.problem;
  p.global_tokens = global_tokens;
  p.stride = stride.value_or(0);
  p.random_blocks = random_blocks;
  p.seed = static_cast<std::uint64_t>(seed);
  p.output_dtype = dtype_from_name(output_dtype).value();
  p.fpmath = fpmath;
  // clang-format off
  each(n, [&](std::int64_t length) {
    point.n = length;
    p.nk = nk.value_or(length);
    p.nq = phase == SweepPhase::kDecode ? 1 : nq.value_or(length);
  each(d_model, [&](std::int64_t width) { point.d_model = width;
  each(heads, [&](std::int64_t count) { p.heads = count; p.kv_heads = kv_heads.value_or(count);
  each(head_dim, [&](AutoCount size) {
    p.head_dim = size.value == 0 ? width / count : size.value;
    p.head_dim_v = head_dim_v.value_or(p.head_dim);
    p.scale = scale.factor(static_cast<double>(p.head_dim));
  each(batch, [&](std::int64_t sequences) { p.batch = sequences;
  each(causal, [&](Causal kind) { p.causal = causal_of(kind, phase);
  each(window, [&](std::int64_t keys) { p.window = keys;
  each(features, [&](std::int64_t directions) { p.features = directions;
  each(dtype, [&](const std::string& type) { p.dtype = dtype_from_name(type).value();
  each(threads, [&](AutoCount team) {
    point.threads = team.value == 0 ? auto_threads : static_cast<int>(team.value);
    out.push_back(point);
  }); }); }); }); }); }); }); }); }); });
  // clang-format on
  return out;
}

std::vector<std::string> sweep_axes(const SweepSettings& s) {
  const std::pair<const char*, std::size_t> sizes[] = {
      {"d_model", s.d_model.size()},  {"heads", s.heads.size()},   {"head_dim", s.head_dim.size()},
      {"batch", s.batch.size()},      {"causal", s.causal.size()}, {"window", s.window.size()},
      {"features", s.features.size()}};
  std::vector<std::string> out;
  for (const auto& [name, size] : sizes) {
    if (size > 1) out.emplace_back(name);
  }
  return out;
}

Json axis_value(const SweepPoint& point, std::string_view axis) {
  const Problem& p = point.problem;
  if (axis == "d_model") return point.d_model;
  if (axis == "heads") return p.heads;
  if (axis == "head_dim") return p.head_dim;
  if (axis == "batch") return p.batch;
  if (axis == "causal") return causal_name(p.causal);
  if (axis == "window") return p.window;
  if (axis == "features") return p.features;
  if (axis == "dtype") return dtype_name(p.dtype);
  if (axis == "threads") return point.threads;
  ATTNLAB_CHECK(axis == "n");
  return point.n;
}

std::string sweep_label(const SweepSettings& settings, const SweepPoint& point) {
  std::vector<std::string> axes{"n"};
  for (std::string& axis : sweep_axes(settings)) axes.push_back(std::move(axis));
  if (settings.dtype.size() > 1) axes.emplace_back("dtype");
  if (settings.threads.size() > 1) axes.emplace_back("threads");
  std::string out;
  for (const std::string& axis : axes) {
    const Json value = axis_value(point, axis);
    out += fmt::format("{}{}={}", out.empty() ? "" : " ", axis,
                       value.is_string() ? value.get<std::string>() : value.dump());
  }
  return out;
}

}  // namespace attnlab
