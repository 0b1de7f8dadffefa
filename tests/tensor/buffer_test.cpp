#include "tensor/buffer.h"

#include <cstdint>

#include "base/error.h"
#include "support/catch.h"

namespace attnlab {

TEST_CASE("buffers are aligned and counted", "[tensor]") {
  const std::int64_t before = AlignedBuffer::bytes_in_use();
  AlignedBuffer::reset_peak();
  {
    AlignedBuffer a(1000);
    AlignedBuffer b(24);
    CHECK(reinterpret_cast<std::uintptr_t>(a.data()) % kBufferAlignment == 0);
    CHECK(AlignedBuffer::bytes_in_use() == before + 1024);
    b = AlignedBuffer(4);
    CHECK(b.bytes() == 4);
    const AlignedBuffer moved = std::move(a);
    CHECK(moved.bytes() == 1000);
  }
  CHECK(AlignedBuffer::bytes_in_use() == before);
  CHECK(AlignedBuffer::peak_bytes() == before + 1028);
}

TEST_CASE("memory that does not exist is an error of its own, not a crash", "[tensor]") {
  CHECK_THROWS_AS(AlignedBuffer(std::int64_t{1} << 62), OutOfMemory);
  CHECK_THROWS_AS(AlignedBuffer(std::int64_t{1} << 62), RunError);
}

TEST_CASE("a carver counts without memory what it hands out with memory", "[tensor]") {
  const auto carve = [](Carver& carver) {
    carver.take<float>(3);
    return carver.take<double>(9);
  };
  Carver counting;
  CHECK(carve(counting) == nullptr);
  CHECK(counting.used() == 64 + 128);
  const AlignedBuffer memory(counting.used());
  Carver carver(memory.span());
  CHECK(reinterpret_cast<std::byte*>(carve(carver)) == memory.data() + 64);
}

}  // namespace attnlab
