#include "io/npz_file.h"

#include <fmt/format.h>

#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/text.h"
#include "io/npy_header.h"
#include "io/zip_archive.h"

namespace attnlab {
namespace {

constexpr std::string_view kExtension = ".npy";

class NpzFile : public TensorFile {
 public:
  NpzFile(std::unique_ptr<ByteSource> bytes, const std::string& place)
      : TensorFile(place, TensorFormat::kNpz), archive_(std::move(bytes), place) {
    const std::vector<ZipMember>& members = archive_.members();
    for (const ZipMember& member : members) {
      const bool is_pickle = member.name.ends_with(".pkl");
      if (!is_pickle) continue;
      throw UserError(place,
                      "is a PyTorch file of pickled objects, which are never loaded: a pickle can "
                      "run any code",
                      "save the tensors with safetensors.torch.save_file");
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].name.ends_with(kExtension)) add_member(i);
    }
    if (entries().empty()) {
      throw UserError(place, "is a ZIP archive without .npy members", "numpy.savez writes one");
    }
  }

 protected:
  ByteSource& bytes_of(std::size_t entry) override {
    if (entry != open_entry_) {  // one at a time: each holds the state of its inflation
      open_bytes_ = archive_.open(members_[entry], place_of(entry));
      open_entry_ = entry;
    }
    return *open_bytes_;
  }

 private:
  void add_member(std::size_t index) {
    std::string name = archive_.members()[index].name;
    const std::string place = fmt::format("{}: {}", path(), printable(name));
    const std::unique_ptr<ByteSource> bytes = archive_.open(index, place);
    NpyHeader header = read_npy_header(*bytes, place);
    name.resize(name.size() - kExtension.size());
    header.entry.name = std::move(name);
    add(std::move(header.entry), header.storage);
    members_.push_back(index);
  }

  ZipArchive archive_;
  std::vector<std::size_t> members_;  // of each entry
  std::size_t open_entry_ = static_cast<std::size_t>(-1);
  std::unique_ptr<ByteSource> open_bytes_;
};

}  // namespace

std::unique_ptr<TensorFile> open_npz(std::unique_ptr<ByteSource> bytes, const std::string& place) {
  return std::make_unique<NpzFile>(std::move(bytes), place);
}

}  // namespace attnlab
