#include "io/npy_write.h"

#include <fmt/format.h>

#include <bit>
#include <string_view>

#include "base/check.h"
#include "base/file.h"

namespace attnlab {
namespace {

static_assert(std::endian::native == std::endian::little, "the header says little-endian");

template <class Number>
void write(const std::string& path, std::string_view type, std::span<const Number> numbers,
           std::span<const std::int64_t> shape) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : shape) elements *= static_cast<std::uint64_t>(size);
  ATTNLAB_CHECK(elements == numbers.size());
  std::string dictionary =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type,
                  fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  constexpr std::size_t kStart = 10, kAlignment = 64;  // bytes before the dictionary
  const std::size_t used = kStart + dictionary.size() + 1;
  dictionary.append((kAlignment - used % kAlignment) % kAlignment, ' ');
  dictionary += '\n';
  ATTNLAB_CHECK(dictionary.size() < 1 << 16);
  std::string start("\x93NUMPY\x01\x00", 8);
  start += static_cast<char>(dictionary.size() & 0xFF);
  start += static_cast<char>(dictionary.size() >> 8);
  write_file(path, {start, dictionary,
                    std::string_view(reinterpret_cast<const char*>(numbers.data()),
                                     numbers.size_bytes())});
}

}  // namespace

void write_npy(const std::string& path, std::span<const float> numbers,
               std::span<const std::int64_t> shape) {
  write(path, "<f4", numbers, shape);
}

void write_npy(const std::string& path, std::span<const double> numbers,
               std::span<const std::int64_t> shape) {
  write(path, "<f8", numbers, shape);
}

}  // namespace attnlab
