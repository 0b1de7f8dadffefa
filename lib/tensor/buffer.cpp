#include "tensor/buffer.h"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

#include "base/check.h"

namespace attnlab {
namespace {

constexpr std::int64_t kAddressable = std::int64_t{1} << 47;  // of user space on x86-64

std::atomic<std::int64_t> in_use{0};
std::atomic<std::int64_t> peak{0};

}  // namespace

OutOfMemory::OutOfMemory(std::int64_t bytes)
    : RunError("memory", fmt::format("{} bytes could not be allocated", bytes),
               "choose a smaller problem") {}

AlignedBuffer::AlignedBuffer(std::int64_t bytes) : bytes_(bytes) {
  ATTNLAB_CHECK(bytes >= 0);
  if (bytes == 0) return;
  if (bytes < kAddressable) {
    data_ = static_cast<std::byte*>(
        std::aligned_alloc(kBufferAlignment, static_cast<std::size_t>(aligned_bytes(bytes))));
  }
  if (data_ == nullptr) {
    throw OutOfMemory(bytes);
  }
  const std::int64_t now = in_use.fetch_add(bytes) + bytes;
  for (std::int64_t seen = peak.load(); seen < now && !peak.compare_exchange_weak(seen, now);) {
  }
}

AlignedBuffer::~AlignedBuffer() {
  if (data_ == nullptr) return;
  std::free(data_);
  in_use.fetch_sub(bytes_);
}

std::int64_t AlignedBuffer::bytes_in_use() { return in_use.load(); }
std::int64_t AlignedBuffer::peak_bytes() { return peak.load(); }
void AlignedBuffer::reset_peak() { peak.store(in_use.load()); }

}  // namespace attnlab
