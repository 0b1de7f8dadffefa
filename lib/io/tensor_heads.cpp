#include "io/tensor_heads.h"

#include <fmt/format.h>

#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace attnlab {

std::string_view layout_name(HeadLayout layout) {
  return layout == HeadLayout::kBhnd ? "bhnd" : "bnhd";
}

std::optional<HeadLayout> layout_from_name(std::string_view name) {
  for (const HeadLayout layout : {HeadLayout::kBhnd, HeadLayout::kBnhd}) {
    if (layout_name(layout) == name) return layout;
  }
  return std::nullopt;
}

TensorHeads::TensorHeads(std::shared_ptr<TensorFile> file, std::size_t entry, HeadLayout layout)
    : file_(std::move(file)), entry_(entry), layout_(layout) {
  const TensorEntry& array = file_->entries().at(entry_);
  const std::size_t axes = array.shape.size();
  const bool is_bhnd = layout_ == HeadLayout::kBhnd;
  if (axes < 2 || axes > 4) {
    throw UserError(
        place(),
        fmt::format("has {} dimension{}: {}", axes, axes == 1 ? "" : "s", shape_text(array.shape)),
        fmt::format("q, k and v have 2 to 4: [n, d], {}",
                    is_bhnd ? "[h, n, d], [b, h, n, d]" : "[n, h, d], [b, n, h, d]"));
  }
  if (array.elements == 0) {
    throw UserError(place(), fmt::format("has no elements: {}", shape_text(array.shape)),
                    "every size of q, k and v is at least 1");
  }
  if (!array.dtype) throw UserError(place(), array.refusal, array.remedy);
  head_dim_ = array.shape[axes - 1];
  length_ = array.shape[is_bhnd || axes == 2 ? axes - 2 : axes - 3];
  if (axes > 2) heads_ = array.shape[is_bhnd ? axes - 3 : axes - 2];
  if (axes > 3) batch_ = array.shape[0];
}

Dtype TensorHeads::dtype() const { return *file_->entries().at(entry_).dtype; }

TensorBox TensorHeads::box(std::int64_t batch, std::int64_t head, AxisRange rows) const {
  ATTNLAB_CHECK(batch >= 0 && batch < batch_ && head >= 0 && head < heads_);
  TensorBox box{{batch, 1}, {head, 1}, rows, {0, head_dim_}};
  if (layout_ == HeadLayout::kBnhd) std::swap(box[1], box[2]);
  const std::size_t axes = file_->entries()[entry_].shape.size();
  if (axes == 2) return {rows, {0, head_dim_}};
  return {box.end() - static_cast<std::ptrdiff_t>(axes), box.end()};
}

std::int64_t TensorHeads::read(std::int64_t batch, std::int64_t head, AxisRange rows,
                               std::span<float> out) {
  return file_->read(entry_, box(batch, head, rows), out);
}

void TensorHeads::read(std::int64_t batch, std::int64_t head, AxisRange rows,
                       std::span<double> out) {
  file_->read(entry_, box(batch, head, rows), out);
}

TensorHeads open_tensor_heads(const std::string& address, HeadLayout layout) {
  const auto [path, name] = tensor_address(address);
  std::shared_ptr<TensorFile> file = open_tensor_file(path);
  const std::size_t entry = file->find(name);
  return {std::move(file), entry, layout};
}

}  // namespace attnlab
