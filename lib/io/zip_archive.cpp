#include "io/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <limits>
#include <span>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr const char* kDamaged = "the file is damaged or cut off: fetch or save it again";
// Deflate packs at most 1032 bytes into one; a directory that promises more is wrong.
constexpr std::int64_t kMostRatio = 1032;
constexpr std::int64_t kShortWay = 1 << 16;

}  // namespace

// libzip's source of bytes. No exception may pass through libzip: it is kept and thrown behind it.
struct ZipArchive::Feed {
  std::unique_ptr<ByteSource> bytes;
  std::int64_t at = 0;
  zip_error_t error{};
  std::exception_ptr failure{};

  explicit Feed(std::unique_ptr<ByteSource> from) : bytes(std::move(from)) {
    zip_error_init(&error);
  }
  ~Feed() { zip_error_fini(&error); }
  Feed(const Feed&) = delete;
  Feed& operator=(const Feed&) = delete;

  void rethrow() {
    if (failure) std::rethrow_exception(std::exchange(failure, nullptr));
  }

  zip_int64_t read(void* data, zip_uint64_t length) {
    const auto left = static_cast<zip_uint64_t>(bytes->size() - at);
    const auto count = static_cast<std::size_t>(std::min(length, left));
    try {
      bytes->read(at, std::span(static_cast<std::byte*>(data), count));
    } catch (...) {
      failure = std::current_exception();
      zip_error_set(&error, ZIP_ER_READ, 0);
      return -1;
    }
    at += static_cast<std::int64_t>(count);
    return static_cast<zip_int64_t>(count);
  }

  static zip_int64_t answer(void* self, void* data, zip_uint64_t length, zip_source_cmd_t command) {
    Feed& feed = *static_cast<Feed*>(self);
    switch (command) {
      case ZIP_SOURCE_OPEN:
        feed.at = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return feed.read(data, length);
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:  // the archive owns it
        return 0;
      case ZIP_SOURCE_STAT: {
        auto* stat = static_cast<zip_stat_t*>(data);
        zip_stat_init(stat);
        stat->size = static_cast<zip_uint64_t>(feed.bytes->size());
        stat->valid |= ZIP_STAT_SIZE;
        return sizeof(*stat);
      }
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&feed.error, data, length);
      case ZIP_SOURCE_SEEK: {
        const zip_int64_t to = zip_source_seek_compute_offset(
            static_cast<zip_uint64_t>(feed.at), static_cast<zip_uint64_t>(feed.bytes->size()), data,
            length, &feed.error);
        if (to < 0) return -1;
        feed.at = to;
        return 0;
      }
      case ZIP_SOURCE_TELL:
        return feed.at;
      case ZIP_SOURCE_SUPPORTS:
        return ZIP_SOURCE_SUPPORTS_SEEKABLE;
      default:
        zip_error_set(&feed.error, ZIP_ER_OPNOTSUPP, 0);
        return -1;
    }
  }
};

namespace {

class MemberBytes : public ByteSource {
 public:
  MemberBytes(zip* archive, std::size_t index, const ZipMember& member, std::string place,
              std::function<void()> rethrow)
      : archive_(archive),
        index_(index),
        is_deflated_(member.is_deflated),
        size_(member.size),
        place_(std::move(place)),
        rethrow_(std::move(rethrow)) {
    reopen();
  }
  ~MemberBytes() override { close(); }

  std::int64_t size() const override { return size_; }

  void read(std::int64_t offset, std::span<std::byte> out) override {
    ATTNLAB_CHECK(offset >= 0 && offset <= size_ &&
                  std::cmp_less_equal(out.size(), size_ - offset));
    if (out.empty()) return;
    if (file_ == nullptr) reopen();
    go_to(offset);
    take(out);
    if (at_ != size_) return;
    std::byte behind{};  // only trying to read on makes libzip compare size and checksum
    const zip_int64_t got = zip_fread(file_, &behind, 1);
    if (got < 0) fail();
    if (got > 0) throw UserError(place_, "has more bytes than its directory says", kDamaged);
  }

 private:
  // Closes the member, too: the next read begins anew.
  [[noreturn]] void fail() {
    const std::string reason =
        printable(file_ != nullptr ? zip_file_strerror(file_) : zip_strerror(archive_));
    close();
    rethrow_();
    throw UserError(place_, fmt::format("cannot be unpacked: {}", reason), kDamaged);
  }

  void close() {
    if (file_ != nullptr) zip_fclose(std::exchange(file_, nullptr));
  }

  void reopen() {
    close();
    file_ = zip_fopen_index(archive_, index_, 0);
    if (file_ == nullptr) fail();
    at_ = 0;
  }

  void go_to(std::int64_t offset) {
    if (offset == at_) return;
    // A short way forward is read, so that a whole array is compared with its checksum.
    if (!is_deflated_ && (offset < at_ || offset - at_ > kShortWay)) {
      if (zip_fseek(file_, offset, SEEK_SET) != 0) fail();
      at_ = offset;
      return;
    }
    if (offset < at_) reopen();
    std::vector<std::byte> passed_over(static_cast<std::size_t>(std::min(offset - at_, kShortWay)));
    while (at_ < offset) {
      take(std::span(passed_over)
               .first(static_cast<std::size_t>(
                   std::min<std::int64_t>(std::ssize(passed_over), offset - at_))));
    }
  }

  void take(std::span<std::byte> out) {
    while (!out.empty()) {
      const zip_int64_t got = zip_fread(file_, out.data(), out.size());
      if (got < 0) fail();
      if (got == 0) {
        throw UserError(place_, fmt::format("ends at byte {} of {}", at_, size_), kDamaged);
      }
      at_ += got;
      out = out.subspan(static_cast<std::size_t>(got));
    }
  }

  zip* archive_;
  std::size_t index_;
  bool is_deflated_;
  std::int64_t size_;
  std::string place_;
  std::function<void()> rethrow_;  // what reading the archive's bytes threw
  zip_file_t* file_ = nullptr;
  std::int64_t at_ = 0;
};

}  // namespace

ZipArchive::ZipArchive(std::unique_ptr<ByteSource> bytes, const std::string& place)
    : place_(place), feed_(std::make_unique<Feed>(std::move(bytes))) {
  zip_error_t error;
  zip_error_init(&error);
  zip_source_t* source = zip_source_function_create(Feed::answer, feed_.get(), &error);
  archive_ = source != nullptr ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
  const std::string reason = printable(zip_error_strerror(&error));
  zip_error_fini(&error);
  if (archive_ == nullptr) {
    if (source != nullptr) zip_source_free(source);
    feed_->rethrow();
    throw UserError(place_, fmt::format("its ZIP directory cannot be read: {}", reason), kDamaged);
  }
  try {
    std::unordered_set<std::string> names;
    const zip_int64_t count = zip_get_num_entries(archive_, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      zip_stat_t stat;
      zip_stat_init(&stat);
      const bool good = zip_stat_index(archive_, static_cast<zip_uint64_t>(i), 0, &stat) == 0;
      constexpr zip_uint64_t kNeeded =
          ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
      if (!good || (stat.valid & kNeeded) != kNeeded) {
        throw UserError(place_, fmt::format("its ZIP directory does not describe member {}", i),
                        kDamaged);
      }
      if (!names.insert(stat.name).second) {
        throw UserError(place_, fmt::format("has two members {}", printable(stat.name, 200)),
                        "save each array under a name of its own");
      }
      constexpr zip_uint64_t kMost = std::numeric_limits<std::int64_t>::max();
      members_.push_back(
          {stat.name, stat.comp_method != ZIP_CM_STORE,
           static_cast<std::int64_t>(std::min<zip_uint64_t>(stat.size, kMost)),
           static_cast<std::int64_t>(std::min<zip_uint64_t>(stat.comp_size, kMost))});
    }
  } catch (...) {
    zip_discard(archive_);
    throw;
  }
}

ZipArchive::~ZipArchive() { zip_discard(archive_); }

std::unique_ptr<ByteSource> ZipArchive::open(std::size_t index, const std::string& place) {
  const ZipMember& member = members_.at(index);
  zip_stat_t stat;
  zip_stat_init(&stat);
  zip_stat_index(archive_, index, 0, &stat);
  if ((stat.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && stat.encryption_method != ZIP_EM_NONE) {
    throw UserError(place, "is encrypted", "save it without a password");
  }
  if (stat.comp_method != ZIP_CM_STORE && stat.comp_method != ZIP_CM_DEFLATE) {
    throw UserError(place, fmt::format("is packed by ZIP's method {}", stat.comp_method),
                    "numpy.savez and numpy.savez_compressed write what is read");
  }
  if (!member.is_deflated && member.size != member.packed_size) {
    throw UserError(
        place,
        fmt::format("is stored in {} bytes but would have {}", member.packed_size, member.size),
        kDamaged);
  }
  if (member.is_deflated && member.size > kMostInflatedBytes) {
    throw UserError(place,
                    fmt::format("would have {} bytes when inflated, more than {}", member.size,
                                kMostInflatedBytes),
                    "save it without compression: numpy.savez, or a file of its own");
  }
  if (member.is_deflated && member.size / kMostRatio > member.packed_size) {
    throw UserError(
        place, fmt::format("{} bytes cannot be inflated from {}", member.size, member.packed_size),
        kDamaged);
  }
  return std::make_unique<MemberBytes>(archive_, index, member, place,
                                       [this] { feed_->rethrow(); });
}

}  // namespace attnlab
