// Memory for tensors and workspaces: aligned, counted, uninitialised.
#ifndef ATTNLAB_TENSOR_BUFFER_H_
#define ATTNLAB_TENSOR_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "base/error.h"

namespace attnlab {

// The system has no such memory; nothing else went wrong.
class OutOfMemory : public RunError {
 public:
  explicit OutOfMemory(std::int64_t bytes);
};

inline constexpr std::int64_t kBufferAlignment = 64;

// Rounds up to whole cache lines, so that parts of one buffer can be laid side by side.
constexpr std::int64_t aligned_bytes(std::int64_t bytes) {
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

class AlignedBuffer {
 public:
  AlignedBuffer() = default;
  // Throws OutOfMemory when the system has no such memory; its content is not initialised.
  explicit AlignedBuffer(std::int64_t bytes);
  ~AlignedBuffer();
  AlignedBuffer(AlignedBuffer&& other) noexcept { swap(other); }
  AlignedBuffer& operator=(AlignedBuffer&& other) noexcept {
    swap(other);
    return *this;
  }

  std::int64_t bytes() const { return bytes_; }
  std::byte* data() const { return data_; }
  std::span<std::byte> span() const { return {data_, static_cast<std::size_t>(bytes_)}; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

  // Bytes held by all buffers of the process now, and the most since the last reset_peak().
  static std::int64_t bytes_in_use();
  static std::int64_t peak_bytes();
  static void reset_peak();

 private:
  void swap(AlignedBuffer& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
  }
  std::byte* data_ = nullptr;
  std::int64_t bytes_ = 0;
};

// Hands out consecutive parts of a workspace, each aligned. Given no memory it only counts, so that
// a kernel's size formula and its layout are the same lines of code.
class Carver {
 public:
  Carver() = default;
  explicit Carver(std::span<std::byte> memory) : memory_(memory) {}
  template <class T>
  T* take(std::int64_t count) {
    const std::int64_t at = used_;
    used_ += aligned_bytes(count * static_cast<std::int64_t>(sizeof(T)));
    return memory_.empty() ? nullptr : reinterpret_cast<T*>(memory_.data() + at);
  }
  std::int64_t used() const { return used_; }

 private:
  std::span<std::byte> memory_;
  std::int64_t used_ = 0;
};

}  // namespace attnlab

#endif  // ATTNLAB_TENSOR_BUFFER_H_
