// tensor_copy ADDRESS OUT.npy: reads the array that "FILE" or "FILE:NAME" names and writes it as
// float64. For tests/system/tensors_test.py, which compares both ends with NumPy.
#include <cstdio>
#include <exception>
#include <span>
#include <vector>

#include "io/npy_write.h"
#include "io/tensor_file.h"

int main(int count, char** arguments) {
  using namespace attnlab;
  if (count != 3) return 2;
  try {
    const auto [path, name] = tensor_address(arguments[1]);
    const auto file = open_tensor_file(path);
    const std::size_t entry = file->find(name);
    const TensorEntry& array = file->entries()[entry];
    std::vector<double> numbers(static_cast<std::size_t>(array.elements));
    file->read(entry, whole_box(array), std::span(numbers));
    write_npy(arguments[2], numbers, array.shape);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 2;
  }
  return 0;
}
