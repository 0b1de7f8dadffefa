// Builds tensor files byte by byte, so that each can break one rule, and catches what is refused.
#ifndef ATTNLAB_TESTS_IO_TENSOR_BYTES_H_
#define ATTNLAB_TESTS_IO_TENSOR_BYTES_H_

#include <zip.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "io/byte_source.h"
#include "io/tensor_file.h"
#include "support/catch.h"

namespace attnlab {

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "attnlab-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  std::string operator/(const std::string& name) const { return path + "/" + name; }
  std::string path;
};

// The low `count` bytes of a number, least significant first.
inline std::string little_endian(std::uint64_t number, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += static_cast<char>(number >> (8 * i));
  return out;
}

template <class Number>
std::string bytes_of_numbers(const std::vector<Number>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(Number)};
}

// A .npy of this version around a dictionary as given, without padding.
inline std::string npy(const std::string& dictionary, const std::string& data, int major = 1) {
  return "\x93NUMPY" + std::string{static_cast<char>(major), '\0'} +
         little_endian(dictionary.size(), major == 1 ? 2 : 4) + dictionary + data;
}

inline std::string npy_dictionary(const std::string& type, const std::string& shape,
                                  bool is_fortran = false) {
  return "{'descr': '" + type + "', 'fortran_order': " + (is_fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

inline std::string safetensors(const std::string& header, const std::string& data) {
  return little_endian(header.size(), 8) + header + data;
}

struct MemberToWrite {
  std::string name, bytes;
  bool is_deflated = false;
};

// An archive written by libzip; at `path`, since libzip writes files.
inline void write_zip(const std::string& path, const std::vector<MemberToWrite>& members,
                      int method = ZIP_CM_DEFLATE) {
  zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
  REQUIRE(archive != nullptr);
  for (const MemberToWrite& member : members) {
    zip_source_t* source = zip_source_buffer(archive, member.bytes.data(), member.bytes.size(), 0);
    const zip_int64_t index = zip_file_add(archive, member.name.c_str(), source, ZIP_FL_ENC_UTF_8);
    REQUIRE(index >= 0);
    REQUIRE(zip_set_file_compression(archive, static_cast<zip_uint64_t>(index),
                                     member.is_deflated ? method : ZIP_CM_STORE, 0) == 0);
  }
  REQUIRE(zip_close(archive) == 0);
}

inline std::unique_ptr<ByteSource> source_of(std::string_view bytes) {
  std::vector<std::byte> copy(bytes.size());
  std::transform(bytes.begin(), bytes.end(), copy.begin(),
                 [](char byte) { return static_cast<std::byte>(byte); });
  return std::make_unique<MemoryBytes>(std::move(copy));
}

inline std::unique_ptr<TensorFile> open_bytes(std::string_view bytes,
                                              const std::string& place = "x.npy") {
  return open_tensor_bytes(source_of(bytes), place);
}

// The message with which `call` refuses; "" when it does not.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

inline std::string refusal_of_bytes(std::string_view bytes, const std::string& place = "x.npy") {
  return refusal_of([&] { open_bytes(bytes, place); });
}

inline std::vector<float> all_floats(TensorFile& file, std::size_t entry = 0) {
  std::vector<float> out(static_cast<std::size_t>(file.entries().at(entry).elements), -99.0f);
  file.read(entry, whole_box(file.entries()[entry]), std::span(out));
  return out;
}

}  // namespace attnlab

#endif  // ATTNLAB_TESTS_IO_TENSOR_BYTES_H_
