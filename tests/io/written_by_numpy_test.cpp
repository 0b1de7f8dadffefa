// Files that NumPy wrote, and safetensors by the specification: tests/data/tensors, made by
// scripts/oracle/tensors.py. Every array of numbers holds (i - 5) / 4 at its row-major index i.
#include <algorithm>
#include <set>

#include "io/tensor_bytes.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;

const std::string kOwn = std::string(ATTNLAB_TEST_DATA) + "/tensors/";

void check_numbers(TensorFile& file, std::size_t entry) {
  INFO(file.place_of(entry));
  const std::vector<float> out = all_floats(file, entry);
  for (std::size_t i = 0; i < out.size(); ++i) CHECK(out[i] == (static_cast<float>(i) - 5) / 4);
}

}  // namespace

TEST_CASE("what NumPy wrote of each type, order and version reads back", "[io]") {
  std::set<std::string> types;
  std::size_t arrays = 0;
  for (const auto& file : std::filesystem::directory_iterator(kOwn + "npy")) {
    auto tensor = open_tensor_file(file.path().string());
    types.insert(tensor->entries()[0].type);
    if (!tensor->entries()[0].dtype) continue;
    ++arrays;
    check_numbers(*tensor, 0);
  }
  CHECK(arrays == 17);
  CHECK(types == std::set<std::string>{"<f2", ">f2", "<f4", ">f4", "<f8", ">f8", "<i8", "|b1"});
}

TEST_CASE("what NumPy put into archives reads back", "[io]") {
  for (const std::string name : {"stored", "deflated"}) {
    auto file = open_tensor_file(kOwn + "npz/" + name + ".npz");
    REQUIRE(file->entries().size() == 3);
    for (const std::string member : {"q", "k", "слой/v"}) check_numbers(*file, file->find(member));
  }
  auto mixed = open_tensor_file(kOwn + "npz/mixed.npz");
  check_numbers(*mixed, mixed->find("q"));
  const std::size_t mask = mixed->find("mask"), z = mixed->find("z");
  std::vector<std::uint8_t> flags(9);
  mixed->read_flags(mask, whole_box(mixed->entries()[mask]), flags);
  CHECK(flags == std::vector<std::uint8_t>{1, 0, 0, 1, 1, 0, 1, 1, 1});
  CHECK_THAT(mixed->entries()[z].refusal, Contains("complex"));
}

TEST_CASE("safetensors of each type read back", "[io]") {
  auto types = open_tensor_file(kOwn + "safetensors/types.safetensors");
  REQUIRE(types->entries().size() == 4);
  for (std::size_t i = 0; i < 4; ++i) check_numbers(*types, i);
  auto layers = open_tensor_file(kOwn + "safetensors/layers.safetensors");
  REQUIRE(layers->entries().size() == 6);
  check_numbers(*layers, layers->find("layers.1.k"));
  auto others = open_tensor_file(kOwn + "safetensors/others.safetensors");
  check_numbers(*others, others->find("one"));
  check_numbers(*others, others->find("none"));
  std::vector<std::uint8_t> flags(4);
  others->read_flags(others->find("слой"), {{0, 2}, {0, 2}}, flags);
  CHECK(flags == std::vector<std::uint8_t>{1, 0, 1, 1});
  CHECK(open_tensor_file(kOwn + "safetensors/nothing.safetensors")->entries().empty());
}

}  // namespace attnlab
