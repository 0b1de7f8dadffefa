// The heads of q, k and v in each layout and number of axes.
#include "io/tensor_heads.h"

#include <cmath>

#include "base/file.h"
#include "io/tensor_bytes.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;

constexpr std::int64_t kBatch = 2, kHeads = 3, kLength = 5, kDim = 4;

// A number that tells where it stands.
float number_at(std::int64_t b, std::int64_t h, std::int64_t n, std::int64_t d) {
  return static_cast<float>(1000 * b + 100 * h + 10 * n + d);
}

std::string operand(HeadLayout layout, std::size_t axes) {
  std::vector<float> numbers;
  const std::int64_t batch = axes > 3 ? kBatch : 1, heads = axes > 2 ? kHeads : 1;
  const bool is_bhnd = layout == HeadLayout::kBhnd;
  for (std::int64_t b = 0; b < batch; ++b) {
    for (std::int64_t i = 0; i < (is_bhnd ? heads : kLength); ++i) {
      for (std::int64_t j = 0; j < (is_bhnd ? kLength : heads); ++j) {
        for (std::int64_t d = 0; d < kDim; ++d) {
          numbers.push_back(is_bhnd ? number_at(b, i, j, d) : number_at(b, j, i, d));
        }
      }
    }
  }
  const std::string inner = is_bhnd ? "3, 5, 4)" : "5, 3, 4)";
  const std::string shape = axes == 2 ? "(5, 4)" : axes == 3 ? "(" + inner : "(2, " + inner;
  return npy(npy_dictionary("<f4", shape), bytes_of_numbers(numbers));
}

std::string refusal_of_operand(const std::string& bytes, HeadLayout layout = HeadLayout::kBhnd) {
  return refusal_of([&] { TensorHeads(open_bytes(bytes), 0, layout); });
}

std::string of_shape(const std::string& shape, std::size_t elements) {
  return npy(npy_dictionary("<f4", shape), std::string(4 * elements, '\0'));
}

}  // namespace

TEST_CASE("each head is read from each layout", "[io]") {
  for (const HeadLayout layout : {HeadLayout::kBhnd, HeadLayout::kBnhd}) {
    for (const std::size_t axes : {2, 3, 4}) {
      INFO(layout_name(layout) << " " << axes);
      TensorHeads heads(open_bytes(operand(layout, axes)), 0, layout);
      CHECK(heads.batch() == (axes > 3 ? kBatch : 1));
      CHECK(heads.heads() == (axes > 2 ? kHeads : 1));
      CHECK(heads.length() == kLength);
      CHECK(heads.head_dim() == kDim);
      CHECK(heads.dtype() == Dtype::kF32);
      for (std::int64_t b = 0; b < heads.batch(); ++b) {
        for (std::int64_t h = 0; h < heads.heads(); ++h) {
          std::vector<float> rows(2 * kDim, NAN);
          std::vector<double> all(kLength * kDim, NAN);
          CHECK(heads.read(b, h, {3, 2}, std::span(rows)) == 0);
          heads.read(b, h, {0, kLength}, std::span(all));
          for (std::int64_t d = 0; d < kDim; ++d) {
            const auto at = static_cast<std::size_t>(d);
            CHECK(rows[at] == number_at(b, h, 3, d));
            CHECK(rows[kDim + at] == number_at(b, h, 4, d));
            CHECK(all[2 * kDim + at] == number_at(b, h, 2, d));
          }
        }
      }
    }
  }
}

TEST_CASE("an operand has 2 to 4 axes, elements, and floating-point numbers", "[io]") {
  CHECK(refusal_of_operand(of_shape("(3, 4)", 12)).empty());
  CHECK_THAT(refusal_of_operand(of_shape("()", 1)),
             Contains("has 0 dimensions: []; q, k and v have 2 to 4: [n, d], [h, n, d]"));
  CHECK_THAT(refusal_of_operand(of_shape("(4,)", 4)), Contains("has 1 dimension: [4]"));
  CHECK_THAT(refusal_of_operand(of_shape("(1, 1, 1, 1, 4)", 4), HeadLayout::kBnhd),
             Contains("has 5 dimensions: [1, 1, 1, 1, 4]") && Contains("[n, h, d], [b, n, h, d]"));
  CHECK_THAT(refusal_of_operand(of_shape("(3, 0)", 0)), Contains("has no elements: [3, 0]"));
  CHECK_THAT(refusal_of_operand(npy(npy_dictionary("<i2", "(2, 2)"), "12345678")),
             Contains("is of an integer type (<i2)"));
}

TEST_CASE("an operand is opened by its address, several from one file", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder / "qk.npz";
  write_zip(path, {{"q.npy", operand(HeadLayout::kBhnd, 4), true},
                   {"k.npy", operand(HeadLayout::kBhnd, 3), true}});
  CHECK(open_tensor_heads(path + ":q", HeadLayout::kBhnd).batch() == kBatch);
  CHECK(open_tensor_heads(path + ":k.npy", HeadLayout::kBhnd).place() == path + ": k");
  CHECK_THAT(refusal_of([&] { open_tensor_heads(path, HeadLayout::kBhnd); }),
             Contains("holds 2 arrays, and none is named; it has q, k"));
  std::shared_ptr<TensorFile> file = open_tensor_file(path);
  TensorHeads q(file, file->find("q"), HeadLayout::kBhnd);
  TensorHeads k(file, file->find("k"), HeadLayout::kBhnd);
  std::vector<float> row(kDim);
  for (std::int64_t h = 0; h < kHeads; ++h) {  // in turn, although an archive opens one at a time
    q.read(1, h, {1, 1}, std::span(row));
    CHECK(row[2] == number_at(1, h, 1, 2));
    k.read(0, h, {4, 1}, std::span(row));
    CHECK(row[3] == number_at(0, h, 4, 3));
  }
}

TEST_CASE("layouts have names", "[io]") {
  CHECK(layout_from_name("bhnd") == HeadLayout::kBhnd);
  CHECK(layout_from_name("bnhd") == HeadLayout::kBnhd);
  CHECK_FALSE(layout_from_name("hbnd"));
}

}  // namespace attnlab
