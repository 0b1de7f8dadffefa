// Bytes that are read by position: of a file, or at hand. A file is read with pread and not mapped,
// so that one that is cut off while it is open is an error and no SIGBUS.
#ifndef ATTNLAB_IO_BYTE_SOURCE_H_
#define ATTNLAB_IO_BYTE_SOURCE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace attnlab {

class ByteSource {
 public:
  ByteSource() = default;
  virtual ~ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  // As it was when the source was opened.
  virtual std::int64_t size() const = 0;
  // Fills `out` with the bytes from `offset` on, all of which lie within size(). UserError when the
  // source turns out damaged or shorter, RunError when reading fails.
  virtual void read(std::int64_t offset, std::span<std::byte> out) = 0;
};

// A regular file. UserError when there is none of this name or it cannot be opened.
std::unique_ptr<ByteSource> open_file_bytes(const std::string& path);

class MemoryBytes : public ByteSource {
 public:
  explicit MemoryBytes(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  std::int64_t size() const override { return static_cast<std::int64_t>(bytes_.size()); }
  void read(std::int64_t offset, std::span<std::byte> out) override;

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace attnlab

#endif  // ATTNLAB_IO_BYTE_SOURCE_H_
