// Whatever the bytes, reading a .npy ends in numbers or in a UserError that names a place.
// libFuzzer; start it on tests/data/tensors/npy.
#include "fuzz/read_tensors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  attnlab::read_tensors(data, size, "x.npy");
  return 0;
}
