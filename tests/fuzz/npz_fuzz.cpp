// Whatever the bytes, reading a .npz ends in numbers or in a UserError that names a place.
// libFuzzer; start it on tests/data/tensors/npz.
#include "fuzz/read_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attnlab::read_tensors(data, size, "x.npz");
  return 0;
}
