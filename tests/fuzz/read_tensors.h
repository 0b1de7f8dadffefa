// What the fuzz targets of the tensor readers do with any bytes: open them, and read what is listed
// in each way. All of it ends in numbers or in a UserError that names a place.
#ifndef ATTNLAB_TESTS_FUZZ_READ_TENSORS_H_
#define ATTNLAB_TESTS_FUZZ_READ_TENSORS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "io/byte_source.h"
#include "io/tensor_file.h"
#include "io/tensor_heads.h"

namespace attnlab {

template <class Call>
void try_to(const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    for (const Mistake& mistake : error.mistakes()) {
      ATTNLAB_CHECK(!mistake.place.empty() && !mistake.problem.empty());
    }
  }
}

inline void read_heads(const std::shared_ptr<TensorFile>& file, std::size_t entry) {
  for (const HeadLayout layout : {HeadLayout::kBhnd, HeadLayout::kBnhd}) {
    TensorHeads heads(file, entry, layout);
    ATTNLAB_CHECK(heads.batch() * heads.heads() * heads.length() * heads.head_dim() ==
                  file->entries()[entry].elements);
    std::vector<float> row(static_cast<std::size_t>(heads.head_dim()));
    heads.read(heads.batch() - 1, heads.heads() - 1, {heads.length() - 1, 1}, std::span(row));
    heads.read(0, 0, {heads.length() / 2, 1}, std::span(row));
  }
}

inline void read_entry(const std::shared_ptr<TensorFile>& file, std::size_t index) {
  constexpr std::int64_t kMostElements = 1 << 16;
  const TensorEntry& entry = file->entries()[index];
  ATTNLAB_CHECK(entry.elements >= 0 && entry.dtype.has_value() == entry.refusal.empty());
  file->place_of(index);
  if (entry.elements > kMostElements) return;
  TensorBox box = whole_box(entry);
  ATTNLAB_CHECK(box_elements(box) == entry.elements);
  const auto elements = static_cast<std::size_t>(entry.elements);
  std::vector<float> floats(elements);
  std::vector<double> doubles(elements);
  std::vector<std::uint8_t> flags(elements, 2);
  try_to([&] { file->read(index, box, std::span(floats)); });
  try_to([&] { file->read(index, box, std::span(doubles)); });
  try_to([&] {
    file->read_flags(index, box, flags);
    ATTNLAB_CHECK(std::all_of(flags.begin(), flags.end(), [](int flag) { return flag < 2; }));
  });
  for (AxisRange& range : box) {  // the middle of each axis
    range.begin = range.count / 3;
    range.count = (range.count - range.begin + 1) / 2;
  }
  try_to([&] {
    file->read(index, box, std::span(floats).first(static_cast<std::size_t>(box_elements(box))));
  });
  try_to([&] { read_heads(file, index); });
}

inline void read_tensors(const std::uint8_t* data, std::size_t size, const std::string& place) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  try_to([&] {
    const std::shared_ptr<TensorFile> file =
        open_tensor_bytes(std::make_unique<MemoryBytes>(std::move(bytes)), place);
    for (std::size_t i = 0; i < std::min<std::size_t>(file->entries().size(), 16); ++i) {
      read_entry(file, i);
    }
    try_to([&] { file->find("q"); });
  });
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_FUZZ_READ_TENSORS_H_
