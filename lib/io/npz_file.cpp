#include "io/npz_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <deque>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
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
    for (std::size_t i = 0; i < members.size(); ++i) {
      if (members[i].name.ends_with(kExtension)) add_member(i);
    }
    if (!entries().empty()) return;
    const bool has_pickle =
        std::any_of(members.begin(), members.end(),
                    [](const ZipMember& member) { return member.name.ends_with(".pkl"); });
    if (has_pickle) {
      throw UserError(place,
                      "is a PyTorch file of pickled objects, which are never loaded: a pickle can "
                      "run any code",
                      "save the tensors with safetensors.torch.save_file");
    }
    throw UserError(place, "is a ZIP archive without .npy members", "numpy.savez writes one");
  }

 protected:
  ByteSource& bytes_of(std::size_t entry) override {
    const auto found = std::find_if(open_.begin(), open_.end(),
                                    [&](const Open& open) { return open.entry == entry; });
    if (found != open_.end()) return *found->bytes;
    if (open_.size() == kMostOpen) open_.pop_front();
    open_.push_back({entry, archive_.open(members_[entry], place_of(entry))});
    return *open_.back().bytes;
  }

 private:
  // A member that stays open, so that q, k and v can be read in turn, each in one pass.
  struct Open {
    std::size_t entry;
    std::unique_ptr<ByteSource> bytes;
  };
  static constexpr std::size_t kMostOpen = 16;

  void add_member(std::size_t index) {
    std::string name = archive_.members()[index].name;
    const std::string place = fmt::format("{}: {}", path(), shown_name(name));
    const std::unique_ptr<ByteSource> bytes = archive_.open(index, place);
    NpyHeader header = read_npy_header(*bytes, place);
    name.resize(name.size() - kExtension.size());
    header.entry.name = std::move(name);
    add(std::move(header.entry), header.storage);
    members_.push_back(index);
  }

  ZipArchive archive_;
  std::vector<std::size_t> members_;  // of each entry
  std::deque<Open> open_;
};

}  // namespace

std::unique_ptr<TensorFile> open_npz(std::unique_ptr<ByteSource> bytes, const std::string& place) {
  return std::make_unique<NpzFile>(std::move(bytes), place);
}

}  // namespace attnlab
