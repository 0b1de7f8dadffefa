// Boxes of arrays against the definition of each order; what reading costs; files that change.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "base/file.h"
#include "io/tensor_bytes.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;

// The bytes at hand, and how many of them were read.
class CountingBytes : public ByteSource {
 public:
  CountingBytes(std::string_view bytes, std::int64_t& count)
      : bytes_(source_of(bytes)), count_(&count) {}
  std::int64_t size() const override { return bytes_->size(); }
  void read(std::int64_t offset, std::span<std::byte> out) override {
    *count_ += std::ssize(out);
    bytes_->read(offset, out);
  }

 private:
  std::unique_ptr<ByteSource> bytes_;
  std::int64_t* count_;
};

using Shape = std::vector<std::int64_t>;

std::int64_t product(const Shape& shape) {
  std::int64_t out = 1;
  for (const std::int64_t size : shape) out *= size;
  return out;
}

std::string shape_source(const Shape& shape) {
  std::string out = "(";
  for (const std::int64_t size : shape) out += std::to_string(size) + ",";
  return out + ")";
}

// The file's index of a row-major index, as the two orders define it.
std::int64_t file_index(const Shape& shape, const Shape& index, bool is_fortran) {
  std::int64_t out = 0;
  for (std::size_t step = 0; step < shape.size(); ++step) {
    const std::size_t axis = is_fortran ? shape.size() - 1 - step : step;
    out = out * shape[axis] + index[axis];
  }
  return out;
}

// The numbers of a box when number i of the file is i, by counting through the box.
std::vector<float> expected_box(const Shape& shape, const TensorBox& box, bool is_fortran) {
  std::vector<float> out;
  Shape index(shape.size());
  for (std::int64_t i = 0; i < box_elements(box); ++i) {
    std::int64_t rest = i;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      index[axis] = box[axis].begin + rest % box[axis].count;
      rest /= box[axis].count;
    }
    out.push_back(static_cast<float>(file_index(shape, index, is_fortran)));
  }
  return out;
}

std::string counting_npy(const Shape& shape, bool is_fortran) {
  std::vector<float> numbers(static_cast<std::size_t>(product(shape)));
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
  return npy(npy_dictionary("<f4", shape_source(shape), is_fortran), bytes_of_numbers(numbers));
}

}  // namespace

TEST_CASE("a box comes out in row-major order whatever the order of the file", "[io]") {
  std::mt19937 random(7);
  const auto up_to = [&](std::int64_t most) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most + 1));
  };
  for (const Shape& shape : std::vector<Shape>{{},
                                               {1},
                                               {65},
                                               {7, 3},
                                               {1, 64},
                                               {5, 1, 9},
                                               {3, 80, 7},
                                               {2, 5, 65, 3},
                                               {2, 3, 700, 72},
                                               {3, 2, 2, 3, 4},
                                               {100'000, 3}}) {
    for (const bool is_fortran : {false, true}) {
      auto file = open_bytes(counting_npy(shape, is_fortran));
      for (int repeat = 0; repeat < 12; ++repeat) {
        TensorBox box = whole_box(file->entries()[0]);
        if (repeat > 0) {
          for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            box[axis].begin = up_to(shape[axis] - 1);
            box[axis].count = repeat == 1 ? 1 : 1 + up_to(shape[axis] - box[axis].begin - 1);
          }
        }
        INFO(shape_text(shape) << " fortran " << is_fortran << " repeat " << repeat);
        std::vector<float> out(static_cast<std::size_t>(box_elements(box)), NAN);
        CHECK(file->read(0, box, std::span(out)) == 0);
        CHECK(out == expected_box(shape, box, is_fortran));
      }
    }
  }
}

TEST_CASE("an empty box reads nothing", "[io]") {
  auto file = open_bytes(counting_npy({4, 5}, false));
  std::vector<float> none;
  CHECK(file->read(0, {{2, 0}, {0, 5}}, std::span(none)) == 0);
  CHECK(box_elements(leading_box(file->entries()[0], {1, 2})) == 10);
}

TEST_CASE("numbers of each type arrive exactly", "[io]") {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const std::vector<float> values{0.0f,     -0.0f,    1.0f, -2.5f, 65504.0f,
                                  0x1p-24f, 0x1p-14f, kInf, -kInf};
  std::string half, brain, single, wide;
  for (const float value : values) {
    half += little_endian(to_f16(value).bits, 2);
    brain += little_endian(to_bf16(value).bits, 2);
    single += little_endian(std::bit_cast<std::uint32_t>(value), 4);
    wide += little_endian(std::bit_cast<std::uint64_t>(static_cast<double>(value)), 8);
  }
  const auto swapped = [](std::string bytes, std::ptrdiff_t size) {
    for (auto at = bytes.begin(); at != bytes.end(); at += size) std::reverse(at, at + size);
    return bytes;
  };
  const auto check = [&](const std::string& bytes, std::vector<float> expected) {
    auto file = open_bytes(bytes);
    const std::vector<float> out = all_floats(*file);
    std::vector<double> doubles(out.size());
    file->read(0, whole_box(file->entries()[0]), std::span(doubles));
    REQUIRE(out.size() == expected.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
      CHECK(std::bit_cast<std::uint32_t>(out[i]) == std::bit_cast<std::uint32_t>(expected[i]));
      CHECK(std::bit_cast<std::uint64_t>(doubles[i]) ==
            std::bit_cast<std::uint64_t>(static_cast<double>(expected[i])));
    }
  };
  const auto dictionary = [](const std::string& type) { return npy_dictionary(type, "(9,)"); };
  check(npy(dictionary("<f2"), half), values);
  check(npy(dictionary(">f2"), swapped(half, 2)), values);
  check(npy(dictionary("<f4"), single), values);
  check(npy(dictionary(">f4"), swapped(single, 4)), values);
  check(npy(dictionary("<f8"), wide), values);
  check(npy(dictionary(">f8"), swapped(wide, 8)), values);
  std::vector<float> rounded = values;
  for (float& value : rounded) value = to_float(to_bf16(value));
  check(safetensors("{\"a\":{\"dtype\":\"BF16\",\"shape\":[9],\"data_offsets\":[0,18]}}", brain),
        rounded);
}

TEST_CASE("f64 is rounded to float, and what float cannot hold is counted", "[io]") {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<double> values{0.1, 1e39, -1e300, kInf, NAN, 3.4028235e38, 1e-50};
  auto file = open_bytes(npy(npy_dictionary("<f8", "(7,)"), bytes_of_numbers(values)));
  std::vector<float> out(7);
  CHECK(file->read(0, {{0, 7}}, std::span(out)) == 2);
  CHECK(out[0] == 0.1f);
  CHECK(out[1] == std::numeric_limits<float>::infinity());
  CHECK(out[2] == -std::numeric_limits<float>::infinity());
  CHECK(std::isnan(out[4]));
  CHECK(out[5] == std::numeric_limits<float>::max());
  CHECK(out[6] == 0.0f);
}

TEST_CASE("opening reads the header alone, a box what it needs", "[io]") {
  std::int64_t count = 0;
  const auto open = [&](const std::string& bytes) {
    count = 0;
    return open_tensor_bytes(std::make_unique<CountingBytes>(bytes, count), "x");
  };
  const Shape shape{4, 8, 1024, 64};  // 8 MiB
  std::vector<float> head(1024 * 64);
  {
    auto file = open(counting_npy(shape, false));
    CHECK(count < 300);
    count = 0;
    file->read(0, {{2, 1}, {3, 1}, {0, 1024}, {0, 64}}, std::span(head));
    CHECK(count == 1024 * 64 * 4);
    count = 0;
    file->read(0, {{2, 1}, {3, 1}, {10, 2}, {0, 64}}, std::span(head).first(128));
    CHECK(count == 512);
  }
  {  // [b, n, h, d]: rows of a head lie 128 heads x 256 bytes apart, and are read one by one
    auto file = open(counting_npy({2, 100, 128, 64}, false));
    count = 0;
    file->read(0, {{1, 1}, {0, 100}, {5, 1}, {0, 64}}, std::span(head).first(6400));
    CHECK(count == 100 * 256);
  }
  {  // rows that lie close together are read with what is between them, and no more
    auto file = open(counting_npy({2, 100, 8, 64}, false));
    count = 0;
    file->read(0, {{1, 1}, {0, 100}, {5, 1}, {0, 64}}, std::span(head).first(6400));
    CHECK(count <= 100 * 8 * 256);
  }
}

TEST_CASE("of a file of 20 GB only what is asked for is read", "[io]") {
  const TemporaryFolder folder;
  const std::string path = folder / "large.safetensors";
  constexpr std::int64_t kRows = 5 * (std::int64_t{1} << 24), kWidth = 64;  // 5 x 4 GiB
  const std::string header = "{\"k\":{\"dtype\":\"F32\",\"shape\":[" + std::to_string(kRows) +
                             ",64],\"data_offsets\":[0," + std::to_string(kRows * kWidth * 4) +
                             "]}}";
  const std::string start = safetensors(header, "");
  write_file(path, {start});
  const std::int64_t size = std::ssize(start) + kRows * kWidth * 4;
  if (::truncate(path.c_str(), size) != 0) {
    WARN("skipped: the temporary folder cannot hold a sparse file of 20 GB");
    return;
  }
  const int descriptor = ::open(path.c_str(), O_WRONLY);
  REQUIRE(descriptor >= 0);
  const float last = 42.0f;
  REQUIRE(::pwrite(descriptor, &last, 4, size - 4) == 4);
  ::close(descriptor);

  auto file = open_tensor_file(path);
  CHECK(file->entries()[0].elements == kRows * kWidth);
  std::vector<float> rows(2 * kWidth, NAN);
  file->read(0, leading_box(file->entries()[0], {kRows - 2, 2}), std::span(rows));
  CHECK(rows.front() == 0.0f);
  CHECK(rows.back() == 42.0f);
}

TEST_CASE("a file that is cut off while it is open is an error, not a crash", "[io]") {
  const TemporaryFolder folder;
  const std::string bytes = counting_npy({1000, 100}, false);
  for (const std::string name : {"a.npy", "a.npz"}) {
    const std::string path = folder / name;
    if (name == "a.npy") {
      write_file(path, {bytes});
    } else {
      write_zip(path, {{"a.npy", bytes}});
    }
    auto file = open_tensor_file(path);
    REQUIRE(::truncate(path.c_str(), 5000) == 0);
    std::vector<float> row(100);
    CHECK_THAT(refusal_of([&] {
                 file->read(0, {{999, 1}, {0, 100}}, std::span(row));
               }),
               Contains(path + ": ends before byte "));
  }
}

TEST_CASE("what is no file that can be read says so", "[io]") {
  const TemporaryFolder folder;
  CHECK_THAT(refusal_of([&] { open_tensor_file(folder / "none.npy"); }),
             Contains("none.npy: cannot be read: No such file") && Contains("check the name"));
  CHECK_THAT(refusal_of([&] { open_tensor_file(folder.path); }), Contains("is a directory"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK_THAT(refusal_of([&] { open_tensor_file(folder / "pipe"); }),
             Contains("is no regular file; arrays are read by position"));
}

TEST_CASE("an address is a file, or a file and a name", "[io]") {
  const TemporaryFolder folder;
  const std::string plain = folder / "a.npz", colon = folder / "a:b.npz";
  write_file(plain, {"x"});
  write_file(colon, {"x"});
  const auto check = [](const std::string& text, const std::string& path, const std::string& name) {
    INFO(text);
    CHECK(tensor_address(text).path == path);
    CHECK(tensor_address(text).name == name);
  };
  check(plain, plain, "");
  check(plain + ":q", plain, "q");
  check(plain + ":layers:0:q", plain, "layers:0:q");
  check(plain + ":", plain, "");
  check(colon, colon, "");
  check(colon + ":q", colon, "q");
  check(folder / "none.npz:q", folder / "none.npz:q", "");
}

}  // namespace attnlab
