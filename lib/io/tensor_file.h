// Reads the arrays of .npy, .npz and .safetensors files. Opening a file reads its headers alone; of
// the numbers only the box that is asked for is read, so of a file of 20 GB only that costs.
// Formats, types, limits and what is refused: docs/tensors.md. npy_header, npz_file and
// safetensors_header read the formats; array_reader turns bytes into numbers; tensor_heads reads
// the heads of q, k and v.
#ifndef ATTNLAB_IO_TENSOR_FILE_H_
#define ATTNLAB_IO_TENSOR_FILE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/array_storage.h"
#include "tensor/dtype.h"

namespace attnlab {

class ByteSource;

// One array of a file.
struct TensorEntry {
  std::string name;                 // UTF-8; "" for the one array of an .npy
  std::string type;                 // as the file writes it: "<f4", "BF16"
  std::vector<std::int64_t> shape;  // any number of axes; none for a single number
  std::int64_t elements = 1;        // product of the shape
  std::optional<Dtype> dtype;       // f16, bf16, f32 or f64: its numbers can be read
  bool is_bool = false;             // its flags can be read
  std::string refusal;  // "is of an integer type (<i8)": why its numbers cannot be read, else ""
  std::string remedy;   // what to do about it; may be empty
};

// The name of an entry as messages show it: printable, and shortened only where it is very long.
std::string shown_name(std::string_view name);

// "[12, 1024, 64]"
std::string shape_text(std::span<const std::int64_t> shape);

// The indices begin ... begin + count - 1 of an axis.
struct AxisRange {
  std::int64_t begin = 0;
  std::int64_t count = 0;
};
using TensorBox = std::vector<AxisRange>;  // one range an axis
TensorBox whole_box(const TensorEntry& entry);
// The whole of every axis but the first, of which `first` is taken.
TensorBox leading_box(const TensorEntry& entry, AxisRange first);
std::int64_t box_elements(const TensorBox& box);

enum class TensorFormat { kNpy, kNpz, kSafetensors };
std::string_view format_name(TensorFormat format);  // npy, npz, safetensors

// An open file. Not for two threads at a time: open it once for each.
class TensorFile {
 public:
  virtual ~TensorFile() = default;
  TensorFile(const TensorFile&) = delete;
  TensorFile& operator=(const TensorFile&) = delete;

  const std::string& path() const { return path_; }
  TensorFormat format() const { return format_; }
  // In the file's order: that of the numbers in .safetensors, of the members in .npz.
  const std::vector<TensorEntry>& entries() const { return entries_; }

  // The number of the entry of this name ("q" and "q.npy" are the same in an .npz; "" is the only
  // entry of a file that has one). UserError, with the nearest name, when there is none.
  std::size_t find(std::string_view name) const;
  // "q.npz: a": how messages name an entry.
  std::string place_of(std::size_t entry) const;

  // Fills `out`, box_elements(box) long, with the numbers of the box in row-major order, whatever
  // the file's order of axes and bytes. Exact but for f64 read as float, which is rounded to
  // nearest. Returns how many finite numbers float could not hold (they are Inf or -Inf then).
  // UserError for an entry without dtype, and for a file that turns out damaged or shorter than its
  // header says; RunError when the disk fails. An .npz member that is deflated is read from its
  // start up to the box; boxes in the order of the file cost one pass.
  std::int64_t read(std::size_t entry, const TensorBox& box, std::span<float> out);
  void read(std::size_t entry, const TensorBox& box, std::span<double> out);
  // The same for flags: 0 or 1 each. UserError for an entry that is no boolean array.
  void read_flags(std::size_t entry, const TensorBox& box, std::span<std::uint8_t> out);

 protected:
  TensorFile(std::string path, TensorFormat format) : path_(std::move(path)), format_(format) {}
  void add(TensorEntry entry, const ArrayStorage& storage);
  // The bytes in which the offset of the entry's storage counts.
  virtual ByteSource& bytes_of(std::size_t entry) = 0;

 private:
  template <class Number>
  std::int64_t read_box(std::size_t entry, const TensorBox& box, std::span<Number> out);

  std::string path_;
  TensorFormat format_;
  std::vector<TensorEntry> entries_;
  std::vector<ArrayStorage> storages_;
};

// Opens a file; what it is its first bytes tell, not its name. UserError, with reason and remedy,
// for every file that is none of the three formats (a pickle, a .pt, a Git LFS pointer), breaks a
// rule of its format, or cannot be read. Nothing in a file is ever executed.
std::unique_ptr<TensorFile> open_tensor_file(const std::string& path);

// The same for bytes at hand; `place` names them in messages.
std::unique_ptr<TensorFile> open_tensor_bytes(std::unique_ptr<ByteSource> bytes,
                                              const std::string& place);

// "FILE" or "FILE:NAME": a file and the name of an entry, "" when none is given. What is the name
// of a file as a whole is that; else the first colon after which the text before it is the name of
// a file ends that name.
struct TensorAddress {
  std::string path, name;
};
TensorAddress tensor_address(const std::string& text);

}  // namespace attnlab

#endif  // ATTNLAB_IO_TENSOR_FILE_H_
