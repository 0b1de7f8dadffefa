#include "io/npy_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::int64_t kMostAxes = 64;  // NumPy's own limit
constexpr const char* kSaveAsFloat = "save it as float32: array.astype(numpy.float32)";

NpyType refused(std::string why, std::string remedy) {
  NpyType type;
  type.is_refused = true;
  type.refusal = std::move(why);
  type.remedy = std::move(remedy);
  return type;
}

NpyType objects() {
  return refused("holds pickled Python objects, which are never loaded: a pickle can run any code",
                 "save it as a plain array: array.astype(numpy.float32)");
}

}  // namespace

NpyType npy_type(const NpyDictionary& dictionary) {
  const std::string shown = printable(dictionary.type);
  if (dictionary.has_fields) {
    return refused(fmt::format("is of a structured type: {}", shown),
                   "save each field as an array of its own: numpy.savez(file, a=array['a'])");
  }
  std::string_view text = dictionary.type;
  char order = '|';
  if (!text.empty() && std::string_view("<>=|/").find(text[0]) != std::string_view::npos) {
    order = text[0];
    text.remove_prefix(1);
  }
  const char kind = text.empty() ? '\0' : text[0];
  const std::string_view size_text = text.substr(std::min<std::size_t>(1, text.size()));
  const std::int64_t size = integer_from_text(size_text).value_or(0);
  const bool is_sized = size > 0 && size_text[0] != '0' && size_text[0] != '-';
  NpyType type;
  type.bytes = size;
  // NumPy takes an order that is not given, or does not apply, for the machine's own.
  type.is_big_endian =
      order == '>' || ((order == '=' || order == '|') && std::endian::native == std::endian::big);

  if (kind == 'O') return objects();
  const auto is_one_of = [&](std::initializer_list<std::int64_t> sizes) {
    return is_sized && order != '/' && std::find(sizes.begin(), sizes.end(), size) != sizes.end();
  };
  if (kind == 'f' && is_one_of({2, 4, 8})) {
    type.dtype = size == 2 ? Dtype::kF16 : size == 4 ? Dtype::kF32 : Dtype::kF64;
    return type;
  }
  if (kind == 'f' && is_one_of({12, 16})) {
    type.refusal = fmt::format("is of extended precision ({}), which is not read", shown);
    type.remedy = "save it as float64: array.astype(numpy.float64)";
    return type;
  }
  if ((kind == 'i' || kind == 'u') && is_one_of({1, 2, 4, 8})) {
    type.refusal = fmt::format("is of an integer type ({}), not of floating-point numbers", shown);
    type.remedy = kSaveAsFloat;
    return type;
  }
  if ((kind == 'b' && is_one_of({1})) || (kind == '?' && size_text.empty() && order != '/')) {
    type.bytes = 1;
    type.is_bool = true;
    type.refusal = fmt::format("is of boolean type ({}), not of floating-point numbers", shown);
    type.remedy = kSaveAsFloat;
    return type;
  }
  if (kind == 'c' && is_one_of({8, 16, 24, 32})) {
    return refused(fmt::format("is of a complex type ({})", shown),
                   "save its real and imaginary parts as arrays of their own");
  }
  if (kind == 'V') {
    return refused(fmt::format("holds raw bytes ({}): NumPy did not know their type", shown),
                   "a bfloat16 array is saved so: save it as float32, or as .safetensors");
  }
  if (kind == 'S' || kind == 'a' || kind == 'U') {
    return refused(fmt::format("holds text ({})", shown), "attnlab reads numbers");
  }
  if (kind == 'M' || kind == 'm') {
    return refused(fmt::format("holds dates or times ({})", shown), "attnlab reads numbers");
  }
  return refused(fmt::format("is of an unknown type: '{}'", shown), kSaveAsFloat);
}

NpyHeader read_npy_header(ByteSource& bytes, const std::string& place) {
  const auto cut_off = [&](std::string_view what) {
    return UserError(place, fmt::format("ends within {} ({} bytes)", what, bytes.size()),
                     "the file is cut off: fetch or save it again");
  };
  std::array<std::byte, 12> start{};  // magic, version, length of the header
  const auto held = std::min<std::int64_t>(bytes.size(), std::ssize(start));
  bytes.read(0, std::span(start).first(static_cast<std::size_t>(held)));
  const std::string_view text(reinterpret_cast<const char*>(start.data()),
                              static_cast<std::size_t>(held));
  if (!text.starts_with(kNpyMagic)) {
    if (kNpyMagic.starts_with(text)) throw cut_off("the first bytes of an .npy array");
    throw UserError(place, "is no .npy array: it does not begin with \\x93NUMPY",
                    "numpy.save writes one");
  }
  const auto byte = [&](std::size_t index) { return std::to_integer<std::int64_t>(start[index]); };
  if (held < 10) throw cut_off("the header");
  if (byte(6) < 1 || byte(6) > 3 || byte(7) != 0) {
    throw UserError(place, fmt::format("is of .npy version {}.{}", byte(6), byte(7)),
                    "versions 1.0, 2.0 and 3.0 are known");
  }
  const std::int64_t begin = byte(6) == 1 ? 10 : 12;
  if (held < begin) throw cut_off("the header");
  std::int64_t length = byte(8) | byte(9) << 8;
  if (begin == 12) length |= byte(10) << 16 | byte(11) << 24;
  if (length > kMostNpyHeaderBytes) {
    throw UserError(
        place, fmt::format("its header has {} bytes, more than {}", length, kMostNpyHeaderBytes),
        "plain arrays have headers of about 100 bytes: save the array again");
  }
  if (length > bytes.size() - begin) throw cut_off("the header");
  std::string header(static_cast<std::size_t>(length), '\0');
  bytes.read(begin, std::as_writable_bytes(std::span(header)));

  NpyDictionary dictionary = parse_npy_dictionary(header, place);
  NpyType type = npy_type(dictionary);
  NpyHeader out;
  out.entry.type = printable(dictionary.type);
  out.entry.shape = std::move(dictionary.shape);
  out.entry.dtype = type.dtype;
  out.entry.is_bool = type.is_bool;
  out.entry.refusal = std::move(type.refusal);
  out.entry.remedy = std::move(type.remedy);
  out.storage = {begin + length, dictionary.is_fortran, type.is_big_endian};
  out.is_refused = type.is_refused;

  const std::string shape = shape_text(out.entry.shape);
  if (std::ssize(out.entry.shape) > kMostAxes) {
    throw UserError(place,
                    fmt::format("has {} axes, more than {}", out.entry.shape.size(), kMostAxes));
  }
  std::optional<std::int64_t> elements = 1;
  for (const std::int64_t size : out.entry.shape) {
    if (elements) elements = checked_product(*elements, size);
  }
  const auto data = elements ? checked_product(*elements, type.bytes) : std::nullopt;
  if (!elements || !data) {
    throw UserError(place, fmt::format("its shape {} has more elements than 64 bits count", shape),
                    "the file is damaged: save the array again");
  }
  out.entry.elements = *elements;
  const std::int64_t follow = bytes.size() - out.storage.offset;
  if (!out.is_refused && *data != follow) {
    throw UserError(place,
                    fmt::format("{} bytes follow its header, but {} of {} are {}", follow, shape,
                                out.entry.type, *data),
                    follow < *data ? "the file is cut off: fetch or save it again"
                                   : "save each array to a file of its own, or all in one .npz");
  }
  return out;
}

}  // namespace attnlab
