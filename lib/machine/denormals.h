// Denormal numbers as zeros while a kernel runs: on many processors each operation that meets one
// takes a hundred times as long.
#ifndef ATTNLAB_MACHINE_DENORMALS_H_
#define ATTNLAB_MACHINE_DENORMALS_H_

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif
#include <cstdint>

namespace attnlab {

// From construction to destruction, this thread's float operations read and write numbers below
// 2^-126 as zeros.
class FlushDenormals {
 public:
#if defined(__x86_64__)
  FlushDenormals() : before_(_mm_getcsr()) { _mm_setcsr(before_ | 0x8040u); }  // FTZ and DAZ
  ~FlushDenormals() { _mm_setcsr(before_); }

 private:
  unsigned before_;
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(before_));
    asm volatile("msr fpcr, %0" : : "r"(before_ | (std::uint64_t{1} << 24)));  // FZ
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(before_)); }

 private:
  std::uint64_t before_;
#endif

 public:
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_DENORMALS_H_
