// The verdict on each real or malformed file of a shared collection, where that is at hand.
#include <array>

#include "io/tensor_bytes.h"
#include "io/tensor_heads.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::string kShared = std::string(ATTNLAB_SOURCE_DIR) + "/../shared/data/tensors/";

bool is_at_hand() {
  if (std::filesystem::is_directory(kShared)) return true;
  WARN("skipped: " << kShared << " is not there");
  return false;
}

std::string refusal_of_file(const std::string& name) {
  return refusal_of([&] { open_tensor_file(kShared + name); });
}

std::string refusal_of_operand(const std::string& name, std::size_t entry = 0) {
  return refusal_of(
      [&] { TensorHeads(open_tensor_file(kShared + name), entry, HeadLayout::kBhnd); });
}

}  // namespace

TEST_CASE("shared files of integers are read, and refused as operands", "[io]") {
  if (!is_at_hand()) return;
  const std::vector<std::pair<std::string, std::vector<std::int64_t>>> files{
      {"candle-jfk-codes.safetensors", {1, 2, 828}},
      {"st-ok.safetensors", {2, 2}},
      {"npyz-c-order.npy", {2, 3, 4}},
      {"npyz-f-order.npy", {2, 3, 4}},
      {"ndarray-npy-array.npy", {2, 3}}};
  for (const auto& [name, shape] : files) {
    INFO(name);
    CHECK(open_tensor_file(kShared + name)->entries().at(0).shape == shape);
    CHECK_THAT(refusal_of_operand(name), Contains("is of an integer type"));
  }
  CHECK(open_tensor_file(kShared + files[0].first)->entries()[0].name == "codes");
}

TEST_CASE("shared files of either order of bytes hold the same numbers", "[io]") {
  if (!is_at_hand()) return;
  std::array<std::vector<float>, 2> numbers;
  for (const std::size_t is_big : {0u, 1u}) {
    const std::string name = std::string("ndarray-npy-example_f64_") +
                             (is_big != 0 ? "big" : "little") + "_endian_fortran.npy";
    auto file = open_tensor_file(kShared + name);
    CHECK(file->entries()[0].type == (is_big != 0 ? ">f8" : "<f8"));
    numbers[is_big] = all_floats(*file);
    const TensorHeads heads(std::move(file), 0, HeadLayout::kBhnd);
    CHECK(heads.batch() == 1);
    CHECK(heads.heads() == 2);
    CHECK(heads.length() == 3);
    CHECK(heads.head_dim() == 4);
  }
  CHECK(numbers[0] == numbers[1]);
  CHECK(numbers[0][1] != numbers[0][4]);
}

TEST_CASE("shared archives are read, stored and compressed", "[io]") {
  if (!is_at_hand()) return;
  for (const std::string name : {"npyz-compressed.npz", "npyz-uncompressed.npz"}) {
    INFO(name);
    auto file = open_tensor_file(kShared + name);
    REQUIRE(file->entries().size() == 2);
    const std::size_t floats = file->find("floats"), ints = file->find("ints");
    CHECK(file->entries()[floats].shape == std::vector<std::int64_t>{2, 1});
    CHECK(file->entries()[ints].shape == std::vector<std::int64_t>{4});
    CHECK(all_floats(*file, floats).size() == 2);
    CHECK(refusal_of_operand(name, floats).empty());
    CHECK_THAT(refusal_of_operand(name, ints), Contains("has 1 dimension"));
    CHECK_THAT(refusal_of([&] { all_floats(*file, ints); }), Contains("is of an integer type"));
  }
}

TEST_CASE("shared arrays of too few axes or elements are read, and refused as operands", "[io]") {
  if (!is_at_hand()) return;
  CHECK_THAT(refusal_of_operand("npyz-plain.npy"), Contains("has 1 dimension"));
  CHECK(open_tensor_file(kShared + "st-scalar-ok.safetensors")->entries()[0].shape.empty());
  CHECK(open_tensor_file(kShared + "st-zero-dim-ok.safetensors")->entries()[0].elements == 0);
  CHECK_THAT(refusal_of_operand("st-scalar-ok.safetensors"), Contains("has 0 dimensions"));
  CHECK_THAT(refusal_of_operand("st-zero-dim-ok.safetensors"), Contains("has no elements"));
}

TEST_CASE("shared files that must be refused are, each for its reason", "[io]") {
  if (!is_at_hand()) return;
  const std::vector<std::pair<std::string, std::string>> files{
      {"ndarray-npy-example_c64_little_endian_standard.npy", "complex type (<c16)"},
      {"npyz-pickle.npy", "pickled Python objects"},
      {"numpy-py3-objarr.npy", "pickled Python objects"},
      {"candle-test.pt", "PyTorch file of pickled objects"},
      {"npyz-structured.npy", "structured type"},
      {"st-dup-key.safetensors", "the key a is given twice"},
      {"st-empty.safetensors", "is empty"},
      {"st-git-lfs-pointer.safetensors", "Git LFS pointer"},
      {"st-header-too-large.safetensors", "more than 100000000"},
      {"st-overflow-shape.safetensors", "is too large"},
      {"st-overlap.safetensors", "within another tensor"},
      {"st-polyglot-trailing.safetensors", "something is appended"},
      {"st-size-mismatch.safetensors", "do not fit"},
      {"st-truncated.safetensors", "the file is cut off"}};
  for (const auto& [name, reason] : files) {
    INFO(name);
    const std::string refusal = refusal_of_file(name);
    CHECK_THAT(refusal, StartsWith(kShared + name) && Contains(reason) && Contains("; "));
  }
}

}  // namespace attnlab
