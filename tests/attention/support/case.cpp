#include "support/case.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <numeric>
#include <span>

#include "attention/kernels/flash.h"
#include "attention/reference.h"
#include "attention/registry.h"
#include "attention/simd/bf16.h"

namespace attnlab::test {
namespace {

std::uint64_t mix(std::uint64_t x) {  // Steele, Lea, Flood 2014: SplitMix64
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

double unit(std::uint64_t seed, std::int64_t index, std::uint64_t part) {
  return (static_cast<double>(mix(mix(seed * 4 + part) + static_cast<std::uint64_t>(index)) >> 11) +
          0.5) *
         0x1p-53;
}

Index4 strides(const Index4& shape, Layout layout) {
  const auto [b, h, n, d] = shape;
  switch (layout) {
    case Layout::kBhnd:
      return row_major_strides(shape);
    case Layout::kBnhd:
      return {n * h * d, d, h * d, 1};
    case Layout::kGaps:
      return {h * (n * (d + 3) + 5) + 7, n * (d + 3) + 5, d + 3, 1};
  }
  return {};
}

std::int64_t extent(const Index4& shape, const Index4& stride) {
  std::int64_t last = 0;
  for (std::size_t axis = 0; axis < 4; ++axis) last += (shape[axis] - 1) * stride[axis];
  return last + 1;
}

// Of the scales [b, h, n] of such a tensor, without gaps.
std::array<std::int64_t, 3> scale_strides(const Index4& shape, Layout layout) {
  const auto [b, h, n, d] = shape;
  if (layout == Layout::kBnhd) return {n * h, 1, h};
  return {h * n, n, 1};
}

template <class Body>
void for_each_index(const Index4& shape, Body&& body) {
  std::int64_t index = 0;
  for (std::int64_t a = 0; a < shape[0]; ++a) {
    for (std::int64_t b = 0; b < shape[1]; ++b) {
      for (std::int64_t c = 0; c < shape[2]; ++c) {
        for (std::int64_t d = 0; d < shape[3]; ++d) body(Index4{a, b, c, d}, index++);
      }
    }
  }
}

}  // namespace

double normal(std::uint64_t seed, std::int64_t index) {
  return std::sqrt(-2 * std::log(unit(seed, index, 0))) *
         std::cos(2 * std::numbers::pi * unit(seed, index, 1));
}

GuardedTensor::GuardedTensor(const Index4& shape, Dtype dtype, Layout layout) {
  const Index4 stride = strides(shape, layout);
  memory_ = GuardedMemory(extent(shape, stride) * dtype_bytes(dtype));
  view_ = View(memory_.as<std::byte>(), dtype, shape, stride);
  if (dtype != Dtype::kInt8) return;
  scale_memory_ = GuardedMemory(shape[0] * shape[1] * shape[2] * 4);
  scales_ = {scale_memory_.as<float>(), scale_strides(shape, layout)};
}

void GuardedTensor::fill(const std::function<double(std::int64_t)>& value) {
  const Index4 rows{view_.shape[0], view_.shape[1], view_.shape[2], 1};
  for_each_index(rows, [&](const Index4& first, std::int64_t row) {
    set_row(first, [&](std::int64_t c) { return value(row * view_.shape[3] + c); });
  });
}

void GuardedTensor::set_row(const Index4& first, const std::function<double(std::int64_t)>& value) {
  const auto [b, h, i, unused] = first;
  if (view_.dtype != Dtype::kInt8) {
    for (std::int64_t c = 0; c < view_.shape[3]; ++c) set({b, h, i, c}, value(c));
    return;
  }
  std::vector<float> row;
  for (std::int64_t c = 0; c < view_.shape[3]; ++c) row.push_back(static_cast<float>(value(c)));
  set_scale(first, quantize_row(row.data(), view_.shape[3], view_.row_as<std::int8_t>(b, h, i)));
}

void GuardedTensor::set_scale(const Index4& first, float scale) {
  if (scales_.data == nullptr) return;
  const auto& stride = scales_.stride;
  scale_memory_.as<float>()[first[0] * stride[0] + first[1] * stride[1] + first[2] * stride[2]] =
      scale;
}

void GuardedTensor::set(const Index4& at, double value) {
  store_element(view_.data, view_.dtype, view_.offset(at[0], at[1], at[2], at[3]), value);
}

bool GuardedTensor::intact() const {
  std::vector<bool> inside(static_cast<std::size_t>(memory_.bytes()));
  for_each_index(view_.shape, [&](const Index4& at, std::int64_t) {
    const auto first = static_cast<std::size_t>(view_.offset(at[0], at[1], at[2], at[3]) *
                                                dtype_bytes(view_.dtype));
    for (std::size_t byte = 0; byte < static_cast<std::size_t>(dtype_bytes(view_.dtype)); ++byte) {
      inside[first + byte] = true;
    }
  });
  for (std::size_t byte = 0; byte < inside.size(); ++byte) {
    if (!inside[byte] && memory_.span()[byte] != std::byte{0xFF}) return false;
  }
  return memory_.intact() && (view_.dtype != Dtype::kInt8 || scale_memory_.intact());
}

Case::Case(const Problem& p, Layout layout, std::uint64_t seed, double deviation)
    : problem(p),
      q({p.batch, p.heads, p.nq, p.head_dim}, p.dtype == Dtype::kInt8 ? Dtype::kF32 : p.dtype,
        layout),
      k({p.batch, p.kv_heads, p.nk, p.head_dim}, p.dtype, layout),
      v({p.batch, p.kv_heads, p.nk, p.head_dim_v}, p.dtype, layout),
      o({p.batch, p.heads, p.nq, p.head_dim_v}, p.output_dtype, layout) {
  q.fill([&](std::int64_t i) { return deviation * normal(3 * seed, i); });
  k.fill([&](std::int64_t i) { return deviation * normal(3 * seed + 1, i); });
  v.fill([&](std::int64_t i) { return normal(3 * seed + 2, i); });
  if (p.mask.kind == MaskKind::kNone) return;
  // A third of the keys is hidden; from the second query of the last head, all are.
  const Index4 shape{p.mask.per_batch ? p.batch : 1, p.mask.per_head ? p.heads : 1,
                     p.mask.per_query ? p.nq : 1, p.nk};
  const Index4 stride = row_major_strides(shape);
  mask.kind = p.mask.kind;
  for (std::size_t axis = 0; axis < 4; ++axis)
    mask.stride[axis] = shape[axis] > 1 ? stride[axis] : 0;
  mask.stride[3] = 1;
  const bool boolean = p.mask.kind == MaskKind::kBoolean;
  mask_memory = GuardedMemory(element_count(shape) * (boolean ? 1 : 4));
  mask.data = mask_memory.span().data();
  for_each_index(shape, [&](const Index4& at, std::int64_t index) {
    const bool hidden = unit(seed, index, 7) < 1.0 / 3 || (at[2] == 1 && at[1] == shape[1] - 1);
    if (boolean) {
      mask_memory.as<std::uint8_t>()[index] = hidden ? 0 : 1;
    } else {
      mask_memory.as<float>()[index] = hidden ? -std::numeric_limits<float>::infinity()
                                              : static_cast<float>(normal(seed + 99, index));
    }
  });
}

void Case::set_key(GuardedTensor& tensor, std::int64_t j, double value) {
  const Index4 shape = tensor.view().shape;
  for (std::int64_t b = 0; b < shape[0]; ++b) {
    for (std::int64_t h = 0; h < shape[1]; ++h) {
      tensor.set_row({b, h, j, 0}, [&](std::int64_t) { return value; });
    }
  }
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

std::vector<std::int64_t> all_rows(const Problem& problem) {
  std::vector<std::int64_t> rows(static_cast<std::size_t>(problem.nq));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

const std::vector<const Kernel*>& tested_kernels() {
  static const std::vector<Kernel> plain = [] {
    std::vector<Kernel> out;
    for (const AttendEngine& engine : plain_bf16_engines()) {
      if (isa_absence(engine.isa).empty()) out.push_back(flash_kernel(engine));
    }
    return out;
  }();
  static const std::vector<const Kernel*> all = [] {
    std::vector<const Kernel*> out = runnable_kernels();
    for (const Kernel& kernel : plain) out.push_back(&kernel);
    return out;
  }();
  return all;
}

Expected expected_output(const Case& c, Operator op, Dtype products) {
  const Index4 shape = c.o.view().shape;
  ThreadTeam team(1);
  Expected out;
  out.values.resize(static_cast<std::size_t>(element_count(shape)));
  const View view(out.values.data(), shape);
  out.view = view;
  reference_rows(c.problem, op, c.operands(), all_rows(c.problem), view, team);
  std::vector<float> plain(out.values.size());
  const View plain_view(plain.data(), shape);
  const auto& plain_rows = products == Dtype::kBf16 ? bf16_steps_rows : textbook_rows;
  plain_rows(c.problem, op, c.operands(), all_rows(c.problem), plain_view, team);
  out.textbook_error = max_difference(plain_view, out.view);
  return out;
}

std::vector<float> run(const Kernel& kernel, const Case& c, ThreadTeam& team) {
  const Problem& p = c.problem;
  const GuardedMemory workspace(kernel.workspace(p, team.threads()));
  if (kernel.prepare) kernel.prepare(p, workspace.span(), team.threads());
  const Operands operands = c.operands();
  for_each_index(operands.o.shape, [&](const Index4& at, std::int64_t) {
    store_element(operands.o.data, operands.o.dtype, operands.o.offset(at[0], at[1], at[2], at[3]),
                  std::numeric_limits<double>::quiet_NaN());
  });
  kernel.run(p, operands, workspace.span(), team);
  std::vector<float> out;
  for_each_index(operands.o.shape, [&](const Index4& at, std::int64_t) {
    out.push_back(static_cast<float>(operands.o.at(at[0], at[1], at[2], at[3])));
  });
  if (!workspace.intact()) out.clear();
  return out;
}

std::string run_and_compare(const Kernel& kernel, const Case& c, const Expected& expected,
                            ThreadTeam& team, double allowed) {
  if (run(kernel, c, team).empty()) return "bytes before the workspace were written";
  if (!c.q.intact() || !c.k.intact() || !c.v.intact()) return "bytes beside an input were written";
  if (!c.o.intact()) return "bytes beside the output were written";
  const double error = max_difference(c.o.view(), expected.view);
  const double ratio = error_ratio(error, expected.textbook_error, c.v.view(), c.v.scales());
  if (!(ratio <= allowed)) {
    return fmt::format("error_ratio {:.3g}: max_error {:.3g}, textbook's {:.3g}", ratio, error,
                       expected.textbook_error);
  }
  return "";
}

std::string describe(const Problem& p) {
  return fmt::format(
      "b {} h {}/{} nq {} nk {} d {} dv {} causal {} mask {}{}{}{} scale {} T {} {} window {} "
      "global {} stride {} blocks {} features {}",
      p.batch, p.heads, p.kv_heads, p.nq, p.nk, p.head_dim, p.head_dim_v, causal_name(p.causal),
      static_cast<int>(p.mask.kind), p.mask.per_batch ? " batch" : "",
      p.mask.per_head ? " head" : "", p.mask.per_query ? " query" : "", p.effective_scale(),
      p.temperature, dtype_name(p.dtype), p.window, p.global_tokens, p.effective_stride(),
      p.random_blocks, p.features);
}

std::string label(const Kernel& kernel) {
  const std::span<const Kernel> listed = kernels();
  const bool is_listed = &kernel >= listed.data() && &kernel < listed.data() + listed.size();
  return fmt::format("{}/{}{}", kernel.name, isa_name(kernel.isa), is_listed ? "" : " plain bf16");
}

}  // namespace attnlab::test
