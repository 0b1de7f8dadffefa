// Reads the operands q, k and v of attention from a tensor file, one [n, d] head at a time.
#ifndef ATTNLAB_IO_TENSOR_HEADS_H_
#define ATTNLAB_IO_TENSOR_HEADS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "io/tensor_file.h"

namespace attnlab {

// The order of the axes. [n, d] in both; [h, n, d] and [b, h, n, d], or [n, h, d] and [b, n, h, d].
enum class HeadLayout { kBhnd, kBnhd };
std::string_view layout_name(HeadLayout layout);  // bhnd, bnhd
std::optional<HeadLayout> layout_from_name(std::string_view name);

// An operand in a file. Holds the file open; several operands may share one. Not for two threads at
// a time.
class TensorHeads {
 public:
  // UserError for an entry that has not 2 to 4 axes, no elements, or numbers that cannot be read.
  TensorHeads(std::shared_ptr<TensorFile> file, std::size_t entry, HeadLayout layout);

  std::int64_t batch() const { return batch_; }
  std::int64_t heads() const { return heads_; }
  std::int64_t length() const { return length_; }      // n
  std::int64_t head_dim() const { return head_dim_; }  // d
  Dtype dtype() const;                                 // of the file
  std::string place() const { return file_->place_of(entry_); }

  // Fills `out`, rows.count x d, with the rows of a head, row-major. Returns how many finite
  // numbers float could not hold. Errors as TensorFile::read.
  std::int64_t read(std::int64_t batch, std::int64_t head, AxisRange rows, std::span<float> out);
  void read(std::int64_t batch, std::int64_t head, AxisRange rows, std::span<double> out);

 private:
  TensorBox box(std::int64_t batch, std::int64_t head, AxisRange rows) const;

  std::shared_ptr<TensorFile> file_;
  std::size_t entry_;
  HeadLayout layout_;
  std::int64_t batch_ = 1, heads_ = 1, length_ = 0, head_dim_ = 0;
};

// The operand that "FILE" or "FILE:NAME" names. UserError as of open_tensor_file and TensorHeads,
// and when a file of several arrays is given without a name.
TensorHeads open_tensor_heads(const std::string& address, HeadLayout layout);

}  // namespace attnlab

#endif  // ATTNLAB_IO_TENSOR_HEADS_H_
