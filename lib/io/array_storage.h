// How the numbers of an array lie in the bytes of a file.
#ifndef ATTNLAB_IO_ARRAY_STORAGE_H_
#define ATTNLAB_IO_ARRAY_STORAGE_H_

#include <cstdint>

namespace attnlab {

struct ArrayStorage {
  std::int64_t offset = 0;     // of the first number
  bool is_fortran = false;     // the first axis is the fastest
  bool is_big_endian = false;  // the most significant byte comes first
};

}  // namespace attnlab

#endif  // ATTNLAB_IO_ARRAY_STORAGE_H_
