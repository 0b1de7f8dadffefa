// Writes an array as a .npy file of version 1.0: little-endian, row-major, numbers at a multiple of
// 64 bytes. NumPy, lib/format.py, "Format Version 1.0".
#ifndef ATTNLAB_IO_NPY_WRITE_H_
#define ATTNLAB_IO_NPY_WRITE_H_

#include <cstdint>
#include <span>
#include <string>

namespace attnlab {

// Replaces the file by the array, whole or not at all. numbers.size() is the product of the shape.
// RunError when it cannot be written.
void write_npy(const std::string& path, std::span<const float> numbers,
               std::span<const std::int64_t> shape);
void write_npy(const std::string& path, std::span<const double> numbers,
               std::span<const std::int64_t> shape);

}  // namespace attnlab

#endif  // ATTNLAB_IO_NPY_WRITE_H_
