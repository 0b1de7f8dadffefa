// What write_npy writes: the form byte by byte, and read back.
#include "io/npy_write.h"

#include "base/file.h"
#include "io/tensor_bytes.h"

namespace attnlab {

TEST_CASE("a written npy has an aligned header of version 1.0", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder / "o.npy";
  write_npy(path, std::vector<float>{1, 2, 3, 4, 5, 6}, std::vector<std::int64_t>{2, 3});
  const std::string bytes = read_file(path, 1000);
  CHECK(bytes.size() == 128 + 24);
  CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\1\0\x76\0", 10));
  CHECK(bytes.substr(10, 60) == "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), } ");
  CHECK(bytes[127] == '\n');
}

TEST_CASE("a written npy reads back, whatever its shape", "[io]") {
  const TemporaryFolder folder;
  for (const std::vector<std::int64_t>& shape :
       std::vector<std::vector<std::int64_t>>{{},
                                              {0},
                                              {1},
                                              {7},
                                              {0, 3},
                                              {3, 5},
                                              {2, 1, 3},
                                              {1, 2, 3, 4},
                                              std::vector<std::int64_t>(40, 1)}) {
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) elements *= size;
    std::vector<float> numbers(static_cast<std::size_t>(elements));
    for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = 0.1f * static_cast<float>(i) - 1;
    const std::string path = folder / "o.npy";
    write_npy(path, numbers, shape);
    auto file = open_tensor_file(path);
    CHECK(file->entries()[0].shape == shape);
    CHECK(all_floats(*file) == numbers);
    const std::vector<double> wide(numbers.begin(), numbers.end());
    write_npy(path, wide, shape);
    file = open_tensor_file(path);
    CHECK(file->entries()[0].dtype == Dtype::kF64);
    std::vector<double> back(wide.size());
    file->read(0, whole_box(file->entries()[0]), std::span(back));
    CHECK(back == wide);
    CHECK(std::filesystem::file_size(path) % 64 == wide.size() * 8 % 64);
  }
}

TEST_CASE("an npy that cannot be written leaves nothing behind", "[io]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(
      write_npy(folder / "none/o.npy", std::vector<float>{1}, std::vector<std::int64_t>{1}),
      RunError);
  CHECK(std::filesystem::is_empty(folder.path));
}

}  // namespace attnlab
