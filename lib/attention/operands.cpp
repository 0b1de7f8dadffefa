#include "attention/operands.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "attention/pattern.h"
#include "tensor/blas.h"

namespace attnlab {
namespace {

template <class Byte>
std::string view_error(std::string_view name, const BasicView<Byte>& view, const Index4& shape,
                       Dtype dtype) {
  if (view.data == nullptr) return fmt::format("{} is missing", name);
  if (view.shape != shape) {
    return fmt::format("{} has shape {}, not {}", name, view.shape, shape);
  }
  if (view.dtype != dtype) {
    return fmt::format("{} holds {}, not {}", name, dtype_name(view.dtype), dtype_name(dtype));
  }
  if (view.stride[3] != 1 && shape[3] != 1) {
    return fmt::format("the last axis of {} is not contiguous", name);
  }
  const bool may_overlap = std::is_const_v<Byte> && name == "q";
  if ((view.stride[2] < shape[3] && shape[2] != 1 && !may_overlap) || view.stride[2] < 0) {
    return fmt::format("rows of {} overlap", name);
  }
  if (view.stride[2] > kBlasMax) return fmt::format("rows of {} are too far apart", name);
  return "";
}

}  // namespace

std::string operand_error(const Problem& problem, const Operands& operands) {
  const Problem& p = problem;
  const bool exact = operands.q.dtype == Dtype::kF64;
  const Dtype kv_dtype = exact ? Dtype::kF64 : p.dtype;
  const Dtype q_dtype = p.dtype == Dtype::kInt8 ? Dtype::kF32 : kv_dtype;
  const Dtype o_dtype = operands.o.dtype == Dtype::kF64 ? Dtype::kF64 : p.output_dtype;
  for (const std::string& error :
       {view_error("q", operands.q, {p.batch, p.heads, p.nq, p.head_dim}, q_dtype),
        view_error("k", operands.k, {p.batch, p.kv_heads, p.nk, p.head_dim}, kv_dtype),
        view_error("v", operands.v, {p.batch, p.kv_heads, p.nk, p.head_dim_v}, kv_dtype),
        view_error("o", operands.o, {p.batch, p.heads, p.nq, p.head_dim_v}, o_dtype)}) {
    if (!error.empty()) return error;
  }
  const bool has_scales = operands.k_scales.data != nullptr && operands.v_scales.data != nullptr;
  if (p.dtype == Dtype::kInt8 && !has_scales)
    return "the scales of int8 keys and values are missing";
  if (operands.mask.kind != p.mask.kind) return "the mask is not of the problem's kind";
  if (p.mask.kind == MaskKind::kNone) return "";
  if (operands.mask.data == nullptr) return "the mask is missing";
  const Index4& stride = operands.mask.stride;
  if ((!p.mask.per_batch && stride[0] != 0) || (!p.mask.per_head && stride[1] != 0) ||
      (!p.mask.per_query && stride[2] != 0)) {
    return "the mask has a stride along an axis that the problem says it does not vary along";
  }
  return "";
}

std::int64_t masked_rows(const Problem& problem, Operator op, const MaskView& mask) {
  std::int64_t masked = 0;
  std::vector<std::uint8_t> visible(static_cast<std::size_t>(problem.nk));
  const std::int64_t batches = problem.mask.per_batch ? problem.batch : 1;
  const bool same_heads = !problem.mask.per_head && op != Operator::kBigBird;
  const std::int64_t heads = same_heads ? 1 : problem.heads;
  for (std::int64_t b = 0; b < batches; ++b) {
    for (std::int64_t h = 0; h < heads; ++h) {
      for (std::int64_t i = 0; i < problem.nq; ++i) {
        if (mask.kind == MaskKind::kNone) {
          masked += visible_keys(problem, op, h, i) == 0;
          continue;
        }
        mark_visible(problem, op, h, i, visible);
        bool seen = false;
        for (std::int64_t j = 0; j < problem.nk && !seen; ++j) {
          seen = visible[static_cast<std::size_t>(j)] != 0 && !mask.hides(b, h, i, j);
        }
        masked += !seen;
      }
    }
  }
  return masked * (problem.batch / batches) * (problem.heads / heads);
}

}  // namespace attnlab
