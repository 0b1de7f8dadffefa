#include "experiments/inspect_output.h"

#include <algorithm>
#include <filesystem>

#include "attention/kernel.h"
#include "attention/registry.h"
#include "base/check.h"
#include "base/error.h"
#include "base/text.h"
#include "io/npy_write.h"

namespace attnlab {
namespace {

// The shape of the array: as many axes as q has.
std::vector<std::int64_t> output_shape(HeadLayout layout, const OperandShape& shape) {
  std::vector<std::int64_t> out{shape.batch, shape.heads, shape.nq, shape.dv.value_or(0)};
  if (layout == HeadLayout::kBnhd) std::swap(out[1], out[2]);
  if (shape.axes == 2) return {shape.nq, shape.dv.value_or(0)};
  return {out.end() - shape.axes, out.end()};
}

std::vector<float> rounded(const double* from, std::size_t count) { return {from, from + count}; }

}  // namespace

InspectOutput::InspectOutput(std::string path, const InspectSettings& settings,
                             const OperandShape& shape)
    : path_(std::move(path)), layout_(settings.layout), shape_(shape), dv_(shape.dv.value_or(0)) {
  numbers_.resize(static_cast<std::size_t>(shape.batch * shape.heads * shape.nq * dv_));
}

void InspectOutput::add(const Problem& problem, Operator op, const Operands& operands,
                        const std::vector<float>& v, std::int64_t batch, std::int64_t first_head,
                        ThreadTeam& team) {
  const Kernel* const kernel = find_kernel(op == Operator::kWindow ? "window" : "flash");
  ATTNLAB_CHECK(kernel != nullptr);
  const std::int64_t group = shape_.group();
  Operands with_values = operands;
  with_values.v = ConstView(v.data(), {1, 1, shape_.nk, dv_});
  const Index4 of_group{1, group, shape_.nq, dv_};
  const bool by_head = layout_ == HeadLayout::kBhnd;
  const std::int64_t start =
      batch * shape_.heads * shape_.nq * dv_ + first_head * dv_ * (by_head ? shape_.nq : 1);
  const Index4 stride =
      by_head ? row_major_strides(of_group) : Index4{0, dv_, shape_.heads * dv_, 1};
  with_values.o = View(numbers_.data() + start, of_group, stride);
  PreparedKernel(*kernel, problem, team.threads()).run(with_values, team);
}

void InspectOutput::add(const Problem& problem, Operator op, const Operands& operands,
                        const std::vector<double>& v, std::int64_t batch, std::int64_t first_head,
                        ThreadTeam& team) {
  const auto count = [](const ConstView& view) {
    return static_cast<std::size_t>(element_count(view.shape));
  };
  const std::vector<float> q =
      rounded(reinterpret_cast<const double*>(operands.q.data), count(operands.q));
  const std::vector<float> k =
      rounded(reinterpret_cast<const double*>(operands.k.data), count(operands.k));
  Operands single = operands;
  single.q = ConstView(q.data(), operands.q.shape);
  single.k = ConstView(k.data(), operands.k.shape);
  add(problem, op, single, rounded(v.data(), v.size()), batch, first_head, team);
}

void InspectOutput::write() const {
  const std::vector<std::int64_t> shape = output_shape(layout_, shape_);
  write_npy(path_, numbers_, shape);
}

void check_output_file(const std::string& path) {
  std::error_code error;
  const std::filesystem::path file(path);
  if (std::filesystem::symlink_status(file, error).type() !=
      std::filesystem::file_type::not_found) {
    throw UserError(path, "is there already", "choose another place, or remove it");
  }
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (!std::filesystem::is_directory(folder, error)) {
    throw UserError(path,
                    "cannot be written: there is no folder " + printable(folder.string(), 200),
                    "make it, or choose another place");
  }
}

}  // namespace attnlab
