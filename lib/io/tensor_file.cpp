#include "io/tensor_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <system_error>

#include "base/check.h"
#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "io/array_reader.h"
#include "io/byte_source.h"
#include "io/npy_header.h"
#include "io/npz_file.h"
#include "io/safetensors_header.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostAxesShown = 12;
constexpr std::size_t kMostNamesShown = 12;

// A .npy or .safetensors file: every array lies in the bytes of the file itself.
class PlainFile : public TensorFile {
 public:
  PlainFile(std::unique_ptr<ByteSource> bytes, const std::string& place, TensorFormat format)
      : TensorFile(place, format), bytes_(std::move(bytes)) {
    if (format == TensorFormat::kNpy) {
      NpyHeader header = read_npy_header(*bytes_, place);
      if (header.is_refused) throw UserError(place, header.entry.refusal, header.entry.remedy);
      add(std::move(header.entry), header.storage);
    } else {
      for (SafetensorsEntry& tensor : read_safetensors_header(*bytes_, place)) {
        add(std::move(tensor.entry), {tensor.begin, false, false});
      }
    }
  }

 protected:
  ByteSource& bytes_of(std::size_t) override { return *bytes_; }

 private:
  std::unique_ptr<ByteSource> bytes_;
};

// Files that people give by mistake, by how they begin.
struct Stranger {
  std::string_view start, problem, remedy;
};
constexpr Stranger kStrangers[] = {
    {"version https://git-lfs", "is a Git LFS pointer, not the file itself",
     "`git lfs pull` fetches the file"},
    {"GGUF", "is a GGUF file", "save q, k and v as .npy or .safetensors"},
    {"\x89HDF", "is an HDF5 file", "save q, k and v as .npy or .safetensors"},
    {"\x1f\x8b", "is compressed by gzip", "unpack it first: gunzip"},
};
constexpr const char* kGiveKnown = "give a .npy, .npz or .safetensors file";

// Protocol 2 and later begin so; the older ones only their names tell.
bool is_pickle(std::string_view start, std::string_view name) {
  if (start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5) return true;
  constexpr std::string_view kExtensions[] = {".pt", ".pth", ".pkl", ".pickle", ".ckpt"};
  return std::any_of(std::begin(kExtensions), std::end(kExtensions),
                     [&](std::string_view extension) { return name.ends_with(extension); });
}

// Whether eight bytes of a sensible length and a { come first.
bool begins_like_safetensors(std::string_view start) {
  if (start.size() <= kSafetensorsLengthBytes || start[kSafetensorsLengthBytes] != '{')
    return false;
  return start.substr(4, 4) == std::string_view("\0\0\0\0", 4);
}

}  // namespace

std::string shown_name(std::string_view name) { return printable(name, 200); }

std::string shape_text(std::span<const std::int64_t> shape) {
  const auto known = shape.first(std::min(shape.size(), kMostAxesShown));
  return fmt::format("[{}{}]", fmt::join(known, ", "), known.size() < shape.size() ? ", ..." : "");
}

TensorBox whole_box(const TensorEntry& entry) {
  TensorBox box;
  for (const std::int64_t size : entry.shape) box.push_back({0, size});
  return box;
}

TensorBox leading_box(const TensorEntry& entry, AxisRange first) {
  ATTNLAB_CHECK(!entry.shape.empty());
  TensorBox box = whole_box(entry);
  box[0] = first;
  return box;
}

std::int64_t box_elements(const TensorBox& box) {
  std::int64_t elements = 1;
  for (const AxisRange& range : box) {
    const auto product = checked_product(elements, range.count);
    ATTNLAB_CHECK(range.count >= 0 && product);
    elements = *product;
  }
  return elements;
}

std::string_view format_name(TensorFormat format) {
  switch (format) {
    case TensorFormat::kNpy:
      return "npy";
    case TensorFormat::kNpz:
      return "npz";
    case TensorFormat::kSafetensors:
      return "safetensors";
  }
  return "";
}

std::size_t TensorFile::find(std::string_view name) const {
  if (name.empty() && entries_.size() == 1) return 0;
  const auto is_called = [&](std::string_view wanted) {
    return std::find_if(entries_.begin(), entries_.end(),
                        [&](const TensorEntry& entry) { return entry.name == wanted; });
  };
  auto found = is_called(name);
  if (found == entries_.end() && format_ == TensorFormat::kNpz && name.ends_with(".npy")) {
    found = is_called(name.substr(0, name.size() - 4));
  }
  if (found != entries_.end()) return static_cast<std::size_t>(found - entries_.begin());
  if (entries_.empty()) throw UserError(path_, "holds no arrays");
  if (format_ == TensorFormat::kNpy) {
    throw UserError(
        path_,
        fmt::format("an .npy has one array, without a name; {} was asked for", printable(name)),
        "give the file alone");
  }
  std::vector<std::string> names;
  for (const TensorEntry& entry : entries_) names.push_back(shown_name(entry.name));
  const std::string near = nearest(name, names);
  std::string remedy = fmt::format("did you mean {}?", near);
  if (near.empty()) {
    if (names.size() > kMostNamesShown) {
      names.resize(kMostNamesShown);
      names.push_back(fmt::format("... ({} in all)", entries_.size()));
    }
    remedy = fmt::format("it has {}", join(names, ", "));
  }
  throw UserError(path_,
                  name.empty() ? fmt::format("holds {} arrays, and none is named", entries_.size())
                               : fmt::format("has no array {}", shown_name(name)),
                  remedy);
}

std::string TensorFile::place_of(std::size_t entry) const {
  const std::string& name = entries_.at(entry).name;
  return name.empty() ? path_ : fmt::format("{}: {}", path_, shown_name(name));
}

void TensorFile::add(TensorEntry entry, const ArrayStorage& storage) {
  entries_.push_back(std::move(entry));
  storages_.push_back(storage);
}

template <class Number>
std::int64_t TensorFile::read_box(std::size_t entry, const TensorBox& box, std::span<Number> out) {
  return read_array(bytes_of(entry), entries_[entry], storages_[entry], box, out);
}

std::int64_t TensorFile::read(std::size_t entry, const TensorBox& box, std::span<float> out) {
  const TensorEntry& array = entries_.at(entry);
  if (!array.dtype) throw UserError(place_of(entry), array.refusal, array.remedy);
  return read_box(entry, box, out);
}

void TensorFile::read(std::size_t entry, const TensorBox& box, std::span<double> out) {
  const TensorEntry& array = entries_.at(entry);
  if (!array.dtype) throw UserError(place_of(entry), array.refusal, array.remedy);
  read_box(entry, box, out);
}

void TensorFile::read_flags(std::size_t entry, const TensorBox& box, std::span<std::uint8_t> out) {
  const TensorEntry& array = entries_.at(entry);
  if (!array.is_bool) {
    throw UserError(place_of(entry), fmt::format("is of type {}, not boolean", array.type),
                    "save it as a boolean array: array.astype(bool)");
  }
  read_box(entry, box, out);
}

std::unique_ptr<TensorFile> open_tensor_bytes(std::unique_ptr<ByteSource> bytes,
                                              const std::string& place) {
  std::array<std::byte, 64> block{};
  const auto held = static_cast<std::size_t>(std::min<std::int64_t>(64, bytes->size()));
  if (held == 0) throw UserError(place, "is empty", kGiveKnown);
  bytes->read(0, std::span(block).first(held));
  const std::string_view start(reinterpret_cast<const char*>(block.data()), held);

  if (start.starts_with(kNpyMagic)) {
    return std::make_unique<PlainFile>(std::move(bytes), place, TensorFormat::kNpy);
  }
  if (start.starts_with("PK\x03\x04") || start.starts_with("PK\x05\x06")) {
    return open_npz(std::move(bytes), place);
  }
  for (const Stranger& stranger : kStrangers) {
    if (start.starts_with(stranger.start)) {
      throw UserError(place, std::string(stranger.problem), std::string(stranger.remedy));
    }
  }
  const bool is_safetensors = begins_like_safetensors(start);
  if (!is_safetensors && is_pickle(start, place)) {
    throw UserError(place, "is a Python pickle, which is never loaded: it can run any code",
                    "save plain arrays with numpy.save or safetensors.torch.save_file");
  }
  if (is_safetensors || place.ends_with(".safetensors")) {
    return std::make_unique<PlainFile>(std::move(bytes), place, TensorFormat::kSafetensors);
  }
  if (place.ends_with(".npy")) {  // says why it is none
    return std::make_unique<PlainFile>(std::move(bytes), place, TensorFormat::kNpy);
  }
  throw UserError(place, "is in no format that is read here", kGiveKnown);
}

std::unique_ptr<TensorFile> open_tensor_file(const std::string& path) {
  return open_tensor_bytes(open_file_bytes(path), path);
}

TensorAddress tensor_address(const std::string& text) {
  const auto is_file = [](const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(path, error) && !std::filesystem::is_directory(path, error);
  };
  if (is_file(text)) return {text, ""};
  for (std::size_t colon = text.find(':'); colon != std::string::npos;
       colon = text.find(':', colon + 1)) {
    if (is_file(text.substr(0, colon))) return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {text, ""};
}

}  // namespace attnlab
