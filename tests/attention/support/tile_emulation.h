// A tile unit for processors that have none: while it lives, the AMX instructions of this process
// end in a handler of SIGILL that decodes and executes them. Shows that the bytes which the
// assembler made of our instructions mean what we wanted. Linux on x86-64.
#ifndef ATTNLAB_TESTS_ATTENTION_SUPPORT_TILE_EMULATION_H_
#define ATTNLAB_TESTS_ATTENTION_SUPPORT_TILE_EMULATION_H_

namespace attnlab::test {

class TileEmulation {
 public:
  TileEmulation();
  ~TileEmulation();
  TileEmulation(const TileEmulation&) = delete;
  TileEmulation& operator=(const TileEmulation&) = delete;

  // Instructions executed so far, of all threads: products, and configurations less releases.
  static long products();
  static long configured();
};

}  // namespace attnlab::test

#endif  // ATTNLAB_TESTS_ATTENTION_SUPPORT_TILE_EMULATION_H_
