#include "tensor/contraction.h"

#include <algorithm>

namespace attnlab {
namespace {

// What an operand's axis says: letter or place within "...", its size, where it stands.
struct Axis {
  std::string name;
  std::int64_t size;
  std::size_t position;
};

std::string ellipsis_name(std::size_t place) { return "..." + std::to_string(place); }

class Binder {
 public:
  explicit Binder(const IndexExpression& expression) : expression_(expression) {}

  // The index of that name; a new one where there is none yet.
  int index_of(const Axis& axis) {
    for (std::size_t i = 0; i < out_.indices.size(); ++i) {
      if (out_.indices[i].name == axis.name) return static_cast<int>(i);
    }
    out_.indices.push_back({axis.name, axis.size, false, axis.position});
    return static_cast<int>(out_.indices.size()) - 1;
  }

  void add_operand(const std::vector<Axis>& axes) {
    const std::size_t number = out_.operands.size();
    std::vector<int>& indices = out_.operands.emplace_back();
    for (const Axis& axis : axes) {
      const int index = index_of(axis);
      ContractionIndex& known = out_.indices[static_cast<std::size_t>(index)];
      indices.push_back(index);
      if (known.size == axis.size) continue;
      const bool is_ellipsis = axis.name.size() > 1;
      if (is_ellipsis && (axis.size == 1 || known.size == 1)) {
        known.size = std::max(known.size, axis.size);
        continue;
      }
      throw ExpressionError(axis.position,
                            (is_ellipsis ? "an axis of \"...\"" : "index " + axis.name) +
                                " has size " + std::to_string(axis.size) + " in operand " +
                                std::to_string(number + 1) + " but " + std::to_string(known.size) +
                                " before",
                            "an index has one size wherever it stands");
    }
    sizes_.push_back({});
    for (const Axis& axis : axes) sizes_.back().push_back(axis.size);
  }

  Contraction finish(std::size_t ellipsis_axes) {
    add_output(ellipsis_axes);
    for (std::size_t o = 0; o < out_.operands.size(); ++o) {
      for (std::size_t a = 0; a < out_.operands[o].size(); ++a) {
        int& index = out_.operands[o][a];
        if (out_.indices[static_cast<std::size_t>(index)].size != sizes_[o][a]) {
          index = Contraction::kShared;
        }
      }
    }
    check_counts();
    return std::move(out_);
  }

 private:
  void add_output(std::size_t ellipsis_axes) {
    const std::string letters = expression_.output_letters();
    const bool takes_ellipsis = !expression_.output || expression_.output->ellipsis;
    if (ellipsis_axes > 0 && !takes_ellipsis) {
      throw ExpressionError(expression_.output->begin,
                            "the result has no place for the axes of \"...\"",
                            "write ... in the result, or name the axes to sum them");
    }
    const auto add = [&](const std::string& name) {
      const int index = index_of({name, 1, 0});
      out_.indices[static_cast<std::size_t>(index)].stays = true;
      out_.output.push_back(index);
    };
    for (std::size_t i = 0; i <= letters.size(); ++i) {
      if (i == expression_.output_ellipsis()) {
        for (std::size_t place = 0; place < ellipsis_axes; ++place) add(ellipsis_name(place));
      }
      if (i < letters.size()) add(std::string(1, letters[i]));
    }
  }

  // Every product that is asked for later is at most that of all sizes, times the operands.
  void check_counts() {
    std::int64_t all = std::int64_t{4} * (static_cast<std::int64_t>(out_.operands.size()) + 1);
    for (const ContractionIndex& index : out_.indices) {
      if (__builtin_mul_overflow(all, index.size, &all)) {
        throw ExpressionError(index.position,
                              "with index " + index.name + " of size " +
                                  std::to_string(index.size) +
                                  " counts and bytes no longer fit 64 bits",
                              "choose smaller sizes");
      }
    }
    for (const int index : out_.output) {
      out_.elements *= out_.indices[static_cast<std::size_t>(index)].size;
    }
    // An operand with an index twice has more elements than its diagonal.
    for (std::size_t o = 0; o < out_.operands.size(); ++o) {
      std::int64_t count = std::int64_t{4} * (static_cast<std::int64_t>(out_.operands.size()) + 1);
      for (const std::int64_t size : sizes_[o]) {
        if (!__builtin_mul_overflow(count, size, &count)) continue;
        throw ExpressionError(expression_.operands[o].begin,
                              "operand " + std::to_string(o + 1) + " is too large for 64 bits",
                              "choose smaller sizes");
      }
    }
  }

  const IndexExpression& expression_;
  Contraction out_;
  std::vector<Shape> sizes_;
};

// The axes of an operand that has `rank` of them.
std::vector<Axis> axes_of(const Subscripts& operand, const Shape& shape,
                          std::size_t most_ellipsis_axes) {
  std::vector<Axis> out;
  const std::size_t covered = shape.size() - operand.letters.size();
  for (std::size_t i = 0; i <= operand.letters.size(); ++i) {
    if (operand.ellipsis == i) {
      for (std::size_t place = 0; place < covered; ++place) {
        out.push_back({ellipsis_name(most_ellipsis_axes - covered + place), shape[out.size()],
                       operand.ellipsis_position});
      }
    }
    if (i < operand.letters.size()) {
      out.push_back({std::string(1, operand.letters[i]), shape[out.size()], operand.positions[i]});
    }
  }
  return out;
}

// "1 shape", "2 shapes"
std::string counted(std::size_t number, const std::string& what) {
  return std::to_string(number) + ' ' + what + (number == 1 ? "" : "s");
}

void check_rank(const Subscripts& operand, const Shape& shape, std::size_t number) {
  constexpr std::size_t kMostAxes = 64;
  const std::size_t named = operand.letters.size();
  if (shape.size() > kMostAxes) {
    throw ExpressionError(operand.begin,
                          "operand " + std::to_string(number + 1) + " has more than " +
                              std::to_string(kMostAxes) + " axes",
                          "leave axes out");
  }
  if (shape.size() == named || (operand.ellipsis && shape.size() > named)) return;
  const bool is_short = shape.size() < named;
  throw ExpressionError(
      is_short ? operand.positions[shape.size()] : operand.begin,
      "operand " + std::to_string(number + 1) + " has " + std::to_string(named) +
          (named == 1 ? " index" : " indices") + ", its shape " + std::to_string(shape.size()) +
          (shape.size() == 1 ? " axis" : " axes"),
      is_short ? "leave indices out" : "name every axis, or write ... for those that have no name");
}

}  // namespace

std::vector<std::int64_t> Contraction::result_shape() const {
  std::vector<std::int64_t> out;
  for (const int index : output) out.push_back(indices[static_cast<std::size_t>(index)].size);
  return out;
}

std::vector<std::int64_t> Contraction::shape(std::size_t operand) const {
  std::vector<std::int64_t> out;
  for (const int index : operands[operand]) {
    out.push_back(index == kShared ? 1 : indices[static_cast<std::size_t>(index)].size);
  }
  return out;
}

std::int64_t Contraction::size(std::size_t operand) const {
  std::int64_t out = 1;
  for (const std::int64_t size : shape(operand)) out *= size;
  return out;
}

std::int64_t Contraction::elements_moved() const {
  std::int64_t out = elements;
  for (std::size_t o = 0; o < operands.size(); ++o) out += size(o);
  return out;
}

Contraction bind_sizes(const IndexExpression& expression, const IndexSizes& sizes) {
  Binder binder(expression);
  for (const Subscripts& operand : expression.operands) {
    if (operand.ellipsis) {
      throw ExpressionError(operand.ellipsis_position,
                            "sizes of indices do not tell what \"...\" stands for",
                            "give the operands' shapes");
    }
    Shape shape;
    for (std::size_t i = 0; i < operand.letters.size(); ++i) {
      const char letter = operand.letters[i];
      const auto found = std::find_if(sizes.begin(), sizes.end(),
                                      [&](const auto& entry) { return entry.first == letter; });
      if (found == sizes.end()) {
        throw ExpressionError(operand.positions[i], std::string("index ") + letter + " has no size",
                              std::string("give one, as ") + letter + "=64");
      }
      shape.push_back(found->second);
    }
    binder.add_operand(axes_of(operand, shape, 0));
  }
  return binder.finish(0);
}

Contraction bind_shapes(const IndexExpression& expression, std::span<const Shape> shapes) {
  if (shapes.size() != expression.operands.size()) {
    const std::size_t first = std::min(shapes.size(), expression.operands.size() - 1);
    throw ExpressionError(
        expression.operands[first].begin,
        counted(expression.operands.size(), "operand") + " and " + counted(shapes.size(), "shape"),
        "give one shape an operand");
  }
  std::size_t most = 0;
  for (std::size_t o = 0; o < shapes.size(); ++o) {
    check_rank(expression.operands[o], shapes[o], o);
    most = std::max(most, shapes[o].size() - expression.operands[o].letters.size());
  }
  Binder binder(expression);
  for (std::size_t o = 0; o < shapes.size(); ++o) {
    binder.add_operand(axes_of(expression.operands[o], shapes[o], most));
  }
  return binder.finish(most);
}

}  // namespace attnlab
