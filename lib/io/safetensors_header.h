// Reads the header of a .safetensors file and checks every rule of the format: eight bytes of
// length, a JSON object, and numbers without holes, overlaps or rest.
// Hugging Face, safetensors, README.md, "Format", and src/tensor.rs.
#ifndef ATTNLAB_IO_SAFETENSORS_HEADER_H_
#define ATTNLAB_IO_SAFETENSORS_HEADER_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "io/byte_source.h"
#include "io/tensor_file.h"

namespace attnlab {

inline constexpr std::int64_t kSafetensorsLengthBytes = 8;
inline constexpr std::int64_t kMostSafetensorsHeaderBytes = 100'000'000;

struct SafetensorsEntry {
  TensorEntry entry;
  std::int64_t begin = 0;  // of its first byte within the file
};

// The tensors in the order of their bytes. UserError when the file breaks a rule.
std::vector<SafetensorsEntry> read_safetensors_header(ByteSource& bytes, const std::string& place);

// What the JSON of a header says of one tensor, of its form alone checked; offsets count from the
// end of the header.
struct SafetensorsInfo {
  std::string name, dtype;
  std::vector<std::int64_t> shape;
  std::vector<std::int64_t> offsets;  // begin, end
};
// In the order of the text. UserError for what is no JSON, a key given twice, a value of another
// form than the format's. Keys that the format does not know are passed over, as its library does.
std::vector<SafetensorsInfo> parse_safetensors_json(std::string_view text,
                                                    const std::string& place);

}  // namespace attnlab

#endif  // ATTNLAB_IO_SAFETENSORS_HEADER_H_
