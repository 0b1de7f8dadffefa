// Memory that notices when a kernel leaves it: a page without access follows the last byte, so that
// reads beyond the end crash; known bytes stand before the first.
#ifndef ATTNLAB_TESTS_ATTENTION_SUPPORT_GUARDED_MEMORY_H_
#define ATTNLAB_TESTS_ATTENTION_SUPPORT_GUARDED_MEMORY_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <utility>

#include "base/check.h"

namespace attnlab::test {

class GuardedMemory {
 public:
  GuardedMemory() = default;
  // The data ends where the guard page begins: it is aligned to what divides both `bytes` and a
  // page, and filled with `fill`.
  explicit GuardedMemory(std::int64_t bytes, std::uint8_t fill = 0xFF) : bytes_(bytes) {
    const std::int64_t page = sysconf(_SC_PAGESIZE);
    const std::int64_t body = (bytes + kGuardBytes + page - 1) / page * page;
    mapped_ = body + page;
    void* const memory = mmap(nullptr, static_cast<std::size_t>(mapped_), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ATTNLAB_CHECK(memory != MAP_FAILED);
    base_ = static_cast<std::byte*>(memory);
    ATTNLAB_CHECK(mprotect(base_ + body, static_cast<std::size_t>(page), PROT_NONE) == 0);
    data_ = base_ + body - bytes;
    std::memset(base_, kGuard, static_cast<std::size_t>(body - bytes));
    std::memset(data_, fill, static_cast<std::size_t>(bytes));
  }
  ~GuardedMemory() {
    if (base_ != nullptr) munmap(base_, static_cast<std::size_t>(mapped_));
  }
  GuardedMemory(GuardedMemory&& other) noexcept { swap(other); }
  GuardedMemory& operator=(GuardedMemory&& other) noexcept {
    swap(other);
    return *this;
  }

  // Whether the bytes before the data are as they were.
  bool intact() const {
    for (const std::byte* byte = base_; byte != data_; ++byte) {
      if (*byte != std::byte{kGuard}) return false;
    }
    return true;
  }
  std::int64_t bytes() const { return bytes_; }
  std::span<std::byte> span() const { return {data_, static_cast<std::size_t>(bytes_)}; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  static constexpr std::int64_t kGuardBytes = 256;
  static constexpr std::uint8_t kGuard = 0xA5;
  void swap(GuardedMemory& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    std::swap(mapped_, other.mapped_);
  }
  std::byte* base_ = nullptr;
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
  std::int64_t mapped_ = 0;
};

}  // namespace attnlab::test

#endif  // ATTNLAB_TESTS_ATTENTION_SUPPORT_GUARDED_MEMORY_H_
