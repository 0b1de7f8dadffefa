#include "tensor/contraction_run.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "tensor/blas.h"

namespace attnlab {
namespace {

constexpr std::int64_t kRowBlock = 256;       // rows of a matrix product that are one task
constexpr std::int64_t kGatherBlock = 16384;  // elements

// Axes of each operand or earlier result, by its number.
std::vector<int> axes_of(const Contraction& contraction, const ContractionPlan& plan, int number) {
  const auto n = static_cast<std::size_t>(number), count = contraction.operands.size();
  return n < count ? contraction.operands[n] : plan.steps[n - count].result();
}

std::vector<int> joined(std::initializer_list<const std::vector<int>*> parts) {
  std::vector<int> out;
  for (const auto* part : parts) out.insert(out.end(), part->begin(), part->end());
  return out;
}

// What a walk over row-major axes has reached.
class Odometer {
 public:
  explicit Odometer(std::span<const Gather::Axis> axes) : axes_(axes) {}

  // The offset of the element with that number.
  std::int64_t start(std::int64_t element) {
    std::int64_t offset = 0;
    for (std::size_t a = axes_.size(); a-- > 0;) {
      at_[a] = element % axes_[a].size;
      element /= axes_[a].size;
      offset += at_[a] * axes_[a].stride;
    }
    return offset;
  }
  // The offset of the next one.
  void next(std::int64_t& offset) {
    for (std::size_t a = axes_.size(); a-- > 0;) {
      offset += axes_[a].stride;
      if (++at_[a] < axes_[a].size) return;
      offset -= axes_[a].size * axes_[a].stride;
      at_[a] = 0;
    }
  }

 private:
  static constexpr std::size_t kMostAxes = 256;
  std::span<const Gather::Axis> axes_;
  std::int64_t at_[kMostAxes];
};

std::int64_t count_of(std::span<const Gather::Axis> axes) {
  std::int64_t out = 1;
  for (const Gather::Axis& axis : axes) out *= axis.size;
  return out;
}

template <class T>
void gather(const Gather& how, const T* from, T* to, ThreadTeam& team) {
  const std::int64_t count = count_of(how.wanted), terms = count_of(how.summed);
  team.run((count + kGatherBlock - 1) / kGatherBlock, [&](std::int64_t task, int) {
    const std::int64_t first = task * kGatherBlock, end = std::min(count, first + kGatherBlock);
    Odometer outer(how.wanted);
    std::int64_t offset = outer.start(first);
    for (std::int64_t i = first; i < end; ++i) {
      if (terms == 1) {
        to[i] = from[offset];
      } else {
        Odometer inner(how.summed);
        std::int64_t at = offset + inner.start(0);
        double sum = 0;
        for (std::int64_t t = 0; t < terms; ++t) {
          sum += static_cast<double>(from[at]);
          inner.next(at);
        }
        to[i] = static_cast<T>(sum);
      }
      outer.next(offset);
    }
  });
}

template <class T>
AlignedBuffer buffer_of(std::int64_t elements) {
  return AlignedBuffer(elements * static_cast<std::int64_t>(sizeof(T)));
}

}  // namespace

Gather::Gather(const Contraction& contraction, const std::vector<int>& axes,
               const std::vector<int>& wanted_order) {
  const auto size_at = [&](int index) {
    return index == Contraction::kShared
               ? std::int64_t{1}
               : contraction.indices[static_cast<std::size_t>(index)].size;
  };
  std::vector<std::int64_t> strides(axes.size());
  std::int64_t stride = 1;
  for (std::size_t a = axes.size(); a-- > 0;) {
    strides[a] = stride;
    stride *= size_at(axes[a]);
  }
  const auto stride_of = [&](int index) {
    std::int64_t sum = 0;
    for (std::size_t a = 0; a < axes.size(); ++a) {
      if (axes[a] == index) sum += strides[a];
    }
    return sum;
  };
  for (const int index : wanted_order) wanted.push_back({size_at(index), stride_of(index)});
  std::vector<int> seen = wanted_order;
  std::vector<int> own;
  for (const int index : axes) {
    if (index == Contraction::kShared) continue;
    own.push_back(index);
    if (std::find(seen.begin(), seen.end(), index) != seen.end()) continue;
    seen.push_back(index);
    summed.push_back({size_at(index), stride_of(index)});
  }
  is_identity = own == wanted_order;
}

template <class T>
auto ContractionRunner<T>::stages_of(const Contraction& contraction, const ContractionPlan& plan)
    -> std::vector<Stage> {
  std::vector<Stage> out;
  for (const ContractionStep& step : plan.steps) {
    const std::vector<int> left = joined({&step.batch, &step.rows, &step.summed});
    const std::vector<int> by_columns = joined({&step.batch, &step.columns, &step.summed});
    const std::vector<int> by_summed = joined({&step.batch, &step.summed, &step.columns});
    const std::vector<int> left_axes = axes_of(contraction, plan, step.left);
    const std::vector<int> right_axes = axes_of(contraction, plan, step.right);
    Gather right(contraction, right_axes, by_columns);
    const Gather other(contraction, right_axes, by_summed);
    const bool is_transposed = right.is_identity || !other.is_identity;
    if (!is_transposed) right = other;
    out.push_back({step.left, step.right, Gather(contraction, left_axes, left), std::move(right),
                   is_transposed, step.call, size_of(contraction, step.batch),
                   size_of(contraction, step.rows), size_of(contraction, step.columns),
                   size_of(contraction, step.summed), AlignedBuffer(), AlignedBuffer(),
                   AlignedBuffer()});
  }
  return out;
}

template <class T>
std::int64_t ContractionRunner<T>::workspace_bytes(const Contraction& contraction,
                                                   const ContractionPlan& plan) {
  std::int64_t elements = 0;
  for (const Stage& stage : stages_of(contraction, plan)) {
    if (!stage.left.is_identity) elements += stage.batch * stage.rows * stage.summed;
    if (!stage.right.is_identity) elements += stage.batch * stage.columns * stage.summed;
    elements += stage.batch * stage.rows * stage.columns;
  }
  return elements * static_cast<std::int64_t>(sizeof(T));
}

template <class T>
ContractionRunner<T>::ContractionRunner(const Contraction& contraction, const ContractionPlan& plan)
    : operand_count_(contraction.operands.size()),
      stages_(stages_of(contraction, plan)),
      last_(contraction,
            axes_of(contraction, plan, static_cast<int>(operand_count_ + stages_.size()) - 1),
            contraction.output) {
  use_one_blas_thread();
  for (Stage& stage : stages_) {
    if (std::max({stage.columns, stage.summed}) > kBlasMax) {
      throw RunError("contraction", "a matrix has 2^31 columns and more, BLAS takes fewer",
                     "choose smaller sizes");
    }
    if (!stage.left.is_identity) {
      stage.left_buffer = buffer_of<T>(stage.batch * stage.rows * stage.summed);
    }
    if (!stage.right.is_identity) {
      stage.right_buffer = buffer_of<T>(stage.batch * stage.columns * stage.summed);
    }
    const bool is_last = &stage == &stages_.back();
    if (!is_last || !last_.is_identity) {
      stage.result_buffer = buffer_of<T>(stage.batch * stage.rows * stage.columns);
    }
  }
}

template <class T>
void ContractionRunner<T>::multiply(const Stage& stage, const T* left, const T* right, T* result,
                                    ThreadTeam& team) {
  const std::int64_t rows = stage.rows, columns = stage.columns, summed = stage.summed;
  const std::int64_t blocks = (rows + kRowBlock - 1) / kRowBlock;
  team.run(stage.batch * blocks, [&](std::int64_t task, int) {
    const std::int64_t b = task / blocks, first = task % blocks * kRowBlock;
    const std::int64_t count = std::min(kRowBlock, rows - first);
    const T* const x = left + (b * rows + first) * summed;
    const T* const y = right + b * columns * summed;
    T* const z = result + (b * rows + first) * columns;
    if (stage.call == BlasCall::kNone) {
      for (std::int64_t i = 0; i < count; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) z[i * columns + j] = x[i] * y[j];
      }
    } else if (count == 1 && columns == 1) {
      *z = dot(summed, x, y);
    } else if (columns == 1) {
      matvec({x, count, summed, summed}, y, z);
    } else if (rows == 1 && stage.right_transposed) {
      matvec({y, columns, summed, summed}, x, z);
    } else if (stage.right_transposed) {
      matmul(T{1}, {x, count, summed, summed}, Transpose::kYes, {y, columns, summed, summed}, T{0},
             {z, count, columns, columns});
    } else {
      matmul(T{1}, {x, count, summed, summed}, Transpose::kNo, {y, summed, columns, columns}, T{0},
             {z, count, columns, columns});
    }
  });
}

template <class T>
void ContractionRunner<T>::run(std::span<const T* const> operands, T* result, ThreadTeam& team) {
  const auto array = [&](int number) -> const T* {
    const auto n = static_cast<std::size_t>(number);
    return n < operand_count_ ? operands[n]
                              : stages_[n - operand_count_].result_buffer.template as<T>();
  };
  for (Stage& stage : stages_) {
    const T* left = array(stage.left_number);
    const T* right = array(stage.right_number);
    if (!stage.left.is_identity) {
      gather(stage.left, left, stage.left_buffer.template as<T>(), team);
      left = stage.left_buffer.template as<T>();
    }
    if (!stage.right.is_identity) {
      gather(stage.right, right, stage.right_buffer.template as<T>(), team);
      right = stage.right_buffer.template as<T>();
    }
    const bool to_result = &stage == &stages_.back() && last_.is_identity;
    multiply(stage, left, right, to_result ? result : stage.result_buffer.template as<T>(), team);
  }
  if (!stages_.empty() && last_.is_identity) return;
  gather(last_, array(static_cast<int>(operand_count_ + stages_.size()) - 1), result, team);
}

template <class T>
PlainElement plain_element(const Contraction& contraction, std::span<const T* const> operands,
                           std::int64_t element) {
  std::vector<int> summed;
  for (std::size_t i = 0; i < contraction.indices.size(); ++i) {
    if (!contraction.indices[i].stays) summed.push_back(static_cast<int>(i));
  }
  std::vector<std::int64_t> at(contraction.indices.size(), 0);
  for (std::size_t a = contraction.output.size(); a-- > 0;) {
    const auto index = static_cast<std::size_t>(contraction.output[a]);
    at[index] = element % contraction.indices[index].size;
    element /= contraction.indices[index].size;
  }
  PlainElement out;
  out.terms = size_of(contraction, summed);
  for (std::int64_t term = 0; term < out.terms; ++term) {
    std::int64_t rest = term;
    for (const int index : summed) {
      const auto i = static_cast<std::size_t>(index);
      at[i] = rest % contraction.indices[i].size;
      rest /= contraction.indices[i].size;
    }
    double product = 1;
    for (std::size_t o = 0; o < operands.size(); ++o) {
      std::int64_t offset = 0;
      for (const int index : contraction.operands[o]) {
        if (index == Contraction::kShared) continue;
        const auto i = static_cast<std::size_t>(index);
        offset = offset * contraction.indices[i].size + at[i];
      }
      product *= static_cast<double>(operands[o][offset]);
    }
    out.value += product;
    out.magnitude += std::abs(product);
  }
  return out;
}

template <class T>
std::vector<double> plain_contraction(const Contraction& contraction,
                                      std::span<const T* const> operands) {
  std::vector<double> out(static_cast<std::size_t>(contraction.elements));
  for (std::int64_t i = 0; i < contraction.elements; ++i) {
    out[static_cast<std::size_t>(i)] = plain_element(contraction, operands, i).value;
  }
  return out;
}

template class ContractionRunner<float>;
template class ContractionRunner<double>;
template PlainElement plain_element(const Contraction&, std::span<const float* const>,
                                    std::int64_t);
template PlainElement plain_element(const Contraction&, std::span<const double* const>,
                                    std::int64_t);
template std::vector<double> plain_contraction(const Contraction&, std::span<const float* const>);
template std::vector<double> plain_contraction(const Contraction&, std::span<const double* const>);

}  // namespace attnlab
