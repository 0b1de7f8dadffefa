#include "io/safetensors_header.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

namespace attnlab {
namespace {

enum class Kind { kFloat, kBool, kInteger, kComplex, kSmallFloat };

struct Type {
  std::string_view name;
  int bits;
  Kind kind;
  std::optional<Dtype> dtype;
};
constexpr Type kTypes[] = {{"F64", 64, Kind::kFloat, Dtype::kF64},
                           {"F32", 32, Kind::kFloat, Dtype::kF32},
                           {"F16", 16, Kind::kFloat, Dtype::kF16},
                           {"BF16", 16, Kind::kFloat, Dtype::kBf16},
                           {"BOOL", 8, Kind::kBool, {}},
                           {"I8", 8, Kind::kInteger, {}},
                           {"U8", 8, Kind::kInteger, {}},
                           {"I16", 16, Kind::kInteger, {}},
                           {"U16", 16, Kind::kInteger, {}},
                           {"I32", 32, Kind::kInteger, {}},
                           {"U32", 32, Kind::kInteger, {}},
                           {"I64", 64, Kind::kInteger, {}},
                           {"U64", 64, Kind::kInteger, {}},
                           {"C64", 64, Kind::kComplex, {}},
                           {"F8_E5M2", 8, Kind::kSmallFloat, {}},
                           {"F8_E4M3", 8, Kind::kSmallFloat, {}},
                           {"F8_E8M0", 8, Kind::kSmallFloat, {}},
                           {"F8_E5M2FNUZ", 8, Kind::kSmallFloat, {}},
                           {"F8_E4M3FNUZ", 8, Kind::kSmallFloat, {}},
                           {"F6_E2M3", 6, Kind::kSmallFloat, {}},
                           {"F6_E3M2", 6, Kind::kSmallFloat, {}},
                           {"F4", 4, Kind::kSmallFloat, {}}};

constexpr const char* kSaveAsFloat = "save it as float32: tensor.float()";

void set_type(TensorEntry& entry, const Type& type) {
  entry.dtype = type.dtype;
  entry.is_bool = type.kind == Kind::kBool;
  switch (type.kind) {
    case Kind::kFloat:
      return;
    case Kind::kBool:
      entry.refusal =
          fmt::format("is of boolean type ({}), not of floating-point numbers", type.name);
      break;
    case Kind::kInteger:
      entry.refusal =
          fmt::format("is of an integer type ({}), not of floating-point numbers", type.name);
      break;
    case Kind::kComplex:
      entry.refusal = fmt::format("is of a complex type ({})", type.name);
      entry.remedy = "save its real and imaginary parts as tensors of their own";
      return;
    case Kind::kSmallFloat:
      entry.refusal =
          fmt::format("is of a quantised type ({}), whose scales lie elsewhere", type.name);
      break;
  }
  entry.remedy = kSaveAsFloat;
}

// Everything but the place of its bytes.
TensorEntry entry_of(SafetensorsInfo& info, const std::string& place) {
  TensorEntry entry;
  entry.name = std::move(info.name);
  const std::string entry_place = fmt::format("{}: {}", place, shown_name(entry.name));
  const auto type = std::find_if(std::begin(kTypes), std::end(kTypes),
                                 [&](const Type& known) { return known.name == info.dtype; });
  if (type == std::end(kTypes)) {
    throw UserError(entry_place, fmt::format("is of an unknown type: {}", printable(info.dtype)),
                    kSaveAsFloat);
  }
  entry.type = std::move(info.dtype);
  entry.shape = std::move(info.shape);
  set_type(entry, *type);
  std::optional<std::int64_t> elements = 1;
  for (const std::int64_t size : entry.shape) {
    if (elements) elements = checked_product(*elements, size);
  }
  const auto bits = elements ? checked_product(*elements, type->bits) : std::nullopt;
  if (!bits) {
    throw UserError(
        entry_place,
        fmt::format("its shape {} has more elements than 64 bits count", shape_text(entry.shape)),
        "the file is damaged: fetch or save it again");
  }
  entry.elements = *elements;
  const std::int64_t bytes = info.offsets[1] - info.offsets[0];  // of two numbers from 0 on
  if (info.offsets[0] > info.offsets[1] || *bits % 8 != 0 || *bits / 8 != bytes) {
    throw UserError(
        entry_place,
        fmt::format("data_offsets [{}, {}] do not fit: {} of {} have {} bits", info.offsets[0],
                    info.offsets[1], shape_text(entry.shape), entry.type, *bits),
        "the file is damaged: fetch or save it again");
  }
  return entry;
}

}  // namespace

std::vector<SafetensorsEntry> read_safetensors_header(ByteSource& bytes, const std::string& place) {
  constexpr const char* kCutOff = "the file is cut off: fetch or save it again";
  std::array<std::byte, kSafetensorsLengthBytes> start{};
  if (bytes.size() < std::ssize(start)) {
    throw UserError(
        place,
        fmt::format("has {} bytes; a .safetensors file begins with 8 of length", bytes.size()),
        kCutOff);
  }
  bytes.read(0, start);
  std::uint64_t length = 0;
  for (std::size_t i = start.size(); i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(start[i]);
  }
  if (std::cmp_greater(length, kMostSafetensorsHeaderBytes)) {
    throw UserError(place,
                    fmt::format("its header would have {} bytes, more than {}", length,
                                kMostSafetensorsHeaderBytes),
                    "is it a .safetensors file?");
  }
  const std::int64_t data = kSafetensorsLengthBytes + static_cast<std::int64_t>(length);
  if (data > bytes.size()) {
    throw UserError(
        place, fmt::format("ends within its header of {} bytes ({} bytes)", length, bytes.size()),
        kCutOff);
  }
  std::string header(static_cast<std::size_t>(length), '\0');
  bytes.read(kSafetensorsLengthBytes, std::as_writable_bytes(std::span(header)));
  if (!header.starts_with('{')) {
    throw UserError(place, "its header does not begin with {", "is it a .safetensors file?");
  }

  std::vector<SafetensorsInfo> tensors = parse_safetensors_json(header, place);
  std::sort(tensors.begin(), tensors.end(), [](const auto& a, const auto& b) {
    return std::tie(a.offsets, a.name) < std::tie(b.offsets, b.name);
  });
  std::vector<SafetensorsEntry> out;
  out.reserve(tensors.size());
  const std::int64_t follow = bytes.size() - data;
  std::int64_t end = 0;  // of the numbers so far
  for (SafetensorsInfo& tensor : tensors) {
    SafetensorsEntry next;
    next.entry = entry_of(tensor, place);
    if (tensor.offsets[0] != end) {
      const bool is_overlap = tensor.offsets[0] < end;
      throw UserError(fmt::format("{}: {}", place, shown_name(next.entry.name)),
                      fmt::format("data_offsets begin at {}, {} {}", tensor.offsets[0],
                                  is_overlap ? "within another tensor that ends at"
                                             : "with a hole behind what ends at",
                                  end),
                      "the file is damaged or not written by safetensors: save it again");
    }
    end = tensor.offsets[1];
    if (end > follow) {
      throw UserError(
          fmt::format("{}: {}", place, shown_name(next.entry.name)),
          fmt::format("its numbers end at byte {} behind the header, the file at {}", end, follow),
          kCutOff);
    }
    next.begin = data + tensor.offsets[0];
    out.push_back(std::move(next));
  }
  if (end < follow) {
    throw UserError(place,
                    fmt::format("{} bytes follow its header, but its tensors have {}", follow, end),
                    "something is appended to the file: fetch or save it again");
  }
  return out;
}

}  // namespace attnlab
