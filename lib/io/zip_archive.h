// A ZIP archive and its members, stored or deflated, by libzip. A stored member is read by
// position; a deflated one is inflated as it is read, from its start on, and never held as a whole.
#ifndef ATTNLAB_IO_ZIP_ARCHIVE_H_
#define ATTNLAB_IO_ZIP_ARCHIVE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/byte_source.h"

struct zip;

namespace attnlab {

// Of a deflated member; reading one is as long as inflating it.
inline constexpr std::int64_t kMostInflatedBytes = std::int64_t{16} << 30;

struct ZipMember {
  std::string name;  // UTF-8
  bool is_deflated = false;
  std::int64_t size = 0;  // as the directory says
  std::int64_t packed_size = 0;
};

class ZipArchive {
 public:
  // UserError when the bytes are no archive, or its directory is damaged or names a member twice.
  ZipArchive(std::unique_ptr<ByteSource> bytes, const std::string& place);
  ~ZipArchive();
  ZipArchive(const ZipArchive&) = delete;
  ZipArchive& operator=(const ZipArchive&) = delete;

  const std::vector<ZipMember>& members() const { return members_; }
  // The bytes of a member, to be read while the archive lives. UserError, here or when they are
  // read, for a member that is encrypted, packed by another method than deflate, too large or
  // damaged; `place` names it. The checksum is compared when all of it is read in order.
  std::unique_ptr<ByteSource> open(std::size_t member, const std::string& place);

 private:
  struct Feed;  // hands the bytes to libzip

  std::string place_;
  std::unique_ptr<Feed> feed_;
  zip* archive_ = nullptr;
  std::vector<ZipMember> members_;
};

}  // namespace attnlab

#endif  // ATTNLAB_IO_ZIP_ARCHIVE_H_
