// Reads the header of a .npy array: versions 1.0, 2.0 and 3.0.
// NumPy, lib/format.py, "Format Version 1.0" to "3.0".
#ifndef ATTNLAB_IO_NPY_HEADER_H_
#define ATTNLAB_IO_NPY_HEADER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/array_storage.h"
#include "io/byte_source.h"
#include "io/tensor_file.h"

namespace attnlab {

inline constexpr std::string_view kNpyMagic = "\x93NUMPY";
// Only types of many fields need longer ones, and those are refused.
inline constexpr std::int64_t kMostNpyHeaderBytes = 1 << 16;

struct NpyHeader {
  TensorEntry entry;  // without a name
  ArrayStorage storage;
  // Objects, fields, text, dates, complex numbers: nothing that is worth listing.
  bool is_refused = false;
};

// The header of the array that the bytes are. UserError when they are no .npy array, when the
// header breaks a rule, or when more or fewer bytes follow than it says.
NpyHeader read_npy_header(ByteSource& bytes, const std::string& place);

// The dictionary of a header, a Python literal; it is parsed, never evaluated.
struct NpyDictionary {
  std::string type;  // descr: the text, or the source of a list of fields
  bool has_fields = false;
  bool is_fortran = false;
  std::vector<std::int64_t> shape;
};
NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& place);

// What a type text of NumPy ("<f4") means.
struct NpyType {
  std::int64_t bytes = 0;  // of an element; 0 where it is not known
  bool is_big_endian = false;
  std::optional<Dtype> dtype{};
  bool is_bool = false;
  bool is_refused = false;
  std::string refusal{}, remedy{};
};
NpyType npy_type(const NpyDictionary& dictionary);

}  // namespace attnlab

#endif  // ATTNLAB_IO_NPY_HEADER_H_
