// Archives of .npy members: stored, deflated, damaged, and what is no .npz.
#include "base/file.h"
#include "io/tensor_bytes.h"
#include "io/zip_archive.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;

std::string array_of(const std::vector<float>& numbers) {
  return npy(npy_dictionary("<f4", "(" + std::to_string(numbers.size()) + ",)"),
             bytes_of_numbers(numbers));
}

std::vector<float> counting(std::size_t count) {
  std::vector<float> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<float>(i);
  return out;
}

std::string zip_bytes(const std::vector<MemberToWrite>& members) {
  const TemporaryFolder folder;
  write_zip(folder / "a.npz", members);
  return read_file(folder / "a.npz", 1 << 26);
}

}  // namespace

TEST_CASE("npz members are listed and read, stored and deflated", "[io]") {
  const std::vector<float> many = counting(300'000);
  for (const bool is_deflated : {false, true}) {
    INFO(is_deflated);
    auto file = open_bytes(
        zip_bytes({{"q.npy", array_of(many), is_deflated},
                   {"слой/0.npy", array_of({1, 2}), is_deflated},
                   {"notes.txt", "hello", is_deflated},
                   {"n.npy", npy(npy_dictionary("<i8", "()"), "12345678"), is_deflated}}),
        "x.npz");
    CHECK(file->format() == TensorFormat::kNpz);
    REQUIRE(file->entries().size() == 3);
    CHECK(file->entries()[0].name == "q");
    CHECK(file->entries()[1].name == "слой/0");
    CHECK(file->find("слой/0") == 1);
    CHECK(file->find("q.npy") == 0);
    CHECK(all_floats(*file, 0) == many);
    CHECK(all_floats(*file, 1) == std::vector<float>{1, 2});
    // Forward, backward, and again up to the end.
    std::vector<float> part(1000);
    for (const std::int64_t begin : {299'000, 5, 200'000, 199'999, 0, 299'000}) {
      file->read(0, {{begin, 1000}}, std::span(part));
      CHECK(part.front() == static_cast<float>(begin));
      CHECK(part.back() == static_cast<float>(begin + 999));
    }
    CHECK_THAT(refusal_of([&] { all_floats(*file, 2); }), Contains("x.npz: n: is of an integer"));
  }
}

TEST_CASE("many npz members are read in turn", "[io]") {
  std::vector<MemberToWrite> members;
  for (int i = 0; i < 40; ++i) {
    std::vector<float> numbers = counting(10'000);
    for (float& number : numbers) number += static_cast<float>(i);
    members.push_back({std::to_string(i) + ".npy", array_of(numbers), i % 3 != 0});
  }
  auto file = open_bytes(zip_bytes(members));
  std::vector<float> part(3000);
  for (const std::int64_t begin : {0, 3000, 6000}) {
    for (std::size_t i = 0; i < 40; ++i) {
      file->read(i, {{begin, 3000}}, std::span(part));
      CHECK(part.front() == static_cast<float>(begin) + static_cast<float>(i));
      CHECK(part.back() == static_cast<float>(begin + 2999) + static_cast<float>(i));
    }
  }
}

TEST_CASE("npz arrays are found by name, and a wrong name is told", "[io]") {
  auto file =
      open_bytes(zip_bytes({{"query.npy", array_of({1})}, {"key.npy", array_of({1})}}), "x.npz");
  CHECK_THAT(refusal_of([&] { file->find("qery"); }),
             Contains("x.npz: has no array qery; did you mean query?"));
  CHECK_THAT(refusal_of([&] { file->find("zzz"); }), Contains("it has query, key"));
  CHECK_THAT(refusal_of([&] { file->find(""); }),
             Contains("x.npz: holds 2 arrays, and none is named; it has query, key"));
  CHECK(open_bytes(zip_bytes({{"one.npy", array_of({1})}}))->find("") == 0);
}

TEST_CASE("npz arrays that cannot be read do not hide the others", "[io]") {
  auto file = open_bytes(zip_bytes({{"meta.npy", npy(npy_dictionary("|O", "(3,)"), "\x80\x04N.")},
                                    {"z.npy", npy(npy_dictionary("<c8", "(1,)"), "12345678")},
                                    {"q.npy", array_of({1, 2})}}),
                         "x.npz");
  REQUIRE(file->entries().size() == 3);
  CHECK(file->entries()[0].shape == std::vector<std::int64_t>{3});
  CHECK(file->entries()[1].type == "<c8");
  CHECK(all_floats(*file, 2) == std::vector<float>{1, 2});
  CHECK_THAT(refusal_of([&] { all_floats(*file, 0); }),
             Contains("x.npz: meta: holds pickled Python objects"));
  CHECK_THAT(refusal_of([&] { all_floats(*file, 1); }), Contains("x.npz: z: is of a complex type"));
}

TEST_CASE("a zip that is no npz is refused", "[io]") {
  CHECK_THAT(
      refusal_of_bytes(zip_bytes({{"model/data.pkl", "\x80\x02."}, {"model/0", "1234"}}), "x.pt"),
      Contains("is a PyTorch file of pickled objects") && Contains("safetensors.torch.save_file"));
  CHECK(refusal_of_bytes(zip_bytes({{"a.pkl", "\x80\x02."}, {"q.npy", array_of({1})}})).empty());
  CHECK_THAT(refusal_of_bytes(zip_bytes({{"a.txt", "hello"}})), Contains("without .npy members"));
  CHECK_THAT(refusal_of_bytes(std::string("PK\5\6") + std::string(18, '\0')),
             Contains("without .npy members"));
}

TEST_CASE("a damaged npz is refused", "[io]") {
  const std::vector<float> numbers = counting(5000);
  const std::string member = array_of(numbers);
  const std::string stored = zip_bytes({{"q.npy", member, false}});
  const std::string deflated = zip_bytes({{"q.npy", member, true}});
  REQUIRE(stored.size() > deflated.size());

  SECTION("cut off anywhere") {
    for (const std::string* whole : {&stored, &deflated}) {
      for (std::size_t size = 4; size < whole->size(); size += 1 + size / 8) {
        INFO(size);
        CHECK_THAT(refusal_of_bytes(whole->substr(0, size)), Contains("damaged or cut off"));
      }
    }
  }
  SECTION("a number changed: the checksum tells") {
    for (std::string bytes : {stored, deflated}) {
      bytes[bytes.size() / 2] ^= 0x10;
      auto file = open_bytes(bytes, "x.npz");
      for (int again = 0; again < 2; ++again) {
        CHECK_THAT(refusal_of([&] { all_floats(*file); }), Contains("x.npz: q: "));
      }
    }
  }
  SECTION("a header changed") {
    std::string bytes = stored;
    bytes[bytes.find("NUMPY")] = 'X';
    CHECK_THAT(refusal_of_bytes(bytes, "x.npz"), Contains("x.npz: q.npy: is no .npy array"));
  }
  SECTION("a member that is longer or shorter than its array") {
    CHECK_THAT(refusal_of_bytes(zip_bytes({{"q.npy", member + "x", true}})),
               Contains("bytes follow its header"));
    CHECK_THAT(refusal_of_bytes(zip_bytes({{"q.npy", member.substr(0, 999), true}})),
               Contains("bytes follow its header"));
  }
  SECTION("two members of one name") {
    std::string bytes = zip_bytes({{"q.npy", member, false}, {"k.npy", member, false}});
    for (std::size_t at = 0; (at = bytes.find("k.npy", at)) != std::string::npos;) bytes[at] = 'q';
    CHECK_THAT(refusal_of_bytes(bytes), Contains("has two members q.npy"));
  }
  SECTION("a directory that promises more than can be inflated") {
    // The sizes stand in the central directory (and in the local header, which is not asked).
    for (const auto& [size, message] : std::vector<std::pair<std::uint64_t, std::string>>{
             {0xF0000000u, "cannot be inflated from"}, {30'000, "bytes follow its header"}}) {
      std::string bytes = deflated;
      bytes.replace(bytes.rfind("PK\1\2") + 24, 4, little_endian(size, 4));
      CHECK_THAT(refusal_of_bytes(bytes), Contains(message));
    }
    std::string bytes = stored;
    bytes.replace(bytes.rfind("PK\1\2") + 24, 4, little_endian(0xF0000000u, 4));
    CHECK_THAT(refusal_of_bytes(bytes), Contains("bytes but would have 4026531840"));
  }
}

TEST_CASE("a member that inflates to more than its array is refused", "[io]") {
  // The directory's size fits the header's; the packed bytes hold one number more.
  const std::string header = npy_dictionary("<f4", "(1000,)");
  std::string bytes = zip_bytes({{"q.npy", npy(header, bytes_of_numbers(counting(1001))), true}});
  const std::uint64_t size = npy(header, "").size() + 4000;
  bytes.replace(bytes.rfind("PK\1\2") + 24, 4, little_endian(size, 4));
  auto file = open_bytes(bytes, "x.npz");
  CHECK_THAT(refusal_of([&] { all_floats(*file); }), Contains("x.npz: q: "));
}

TEST_CASE("archives with sizes of 64 bits are read, and their promises limited", "[io]") {
  const auto zip64 = [](const std::string& data, int method, std::uint64_t size) {
    const std::string name = "q.npy";
    const std::string packed = little_endian(data.size(), 4) + little_endian(0xFFFFFFFFu, 4) +
                               little_endian(name.size(), 2);
    const std::string extra = little_endian(1, 2) + little_endian(8, 2) + little_endian(size, 8);
    const std::string common = little_endian(45, 2) + little_endian(0, 2) +
                               little_endian(static_cast<std::uint64_t>(method), 2) +
                               little_endian(0, 4) + little_endian(0, 4) + packed +
                               little_endian(extra.size(), 2);
    const std::string local = "PK\3\4" + common + name + extra + data;
    const std::string central =
        "PK\1\2" + little_endian(45, 2) + common + std::string(14, '\0') + name + extra;
    return local + central + "PK\5\6" + std::string(4, '\0') + little_endian(1, 2) +
           little_endian(1, 2) + little_endian(central.size(), 4) + little_endian(local.size(), 4) +
           little_endian(0, 2);
  };
  const std::string member = array_of({1, 2, 3});
  // The part of the array that is listed; its checksum, 0 here, is wrong.
  CHECK(open_bytes(zip64(member, 0, member.size()))->entries()[0].elements == 3);
  CHECK_THAT(refusal_of_bytes(zip64(member, 8, (std::uint64_t{16} << 30) + 1), "x.npz"),
             Contains("x.npz: q.npy: would have 17179869185 bytes when inflated, more than"));
  CHECK_THAT(refusal_of_bytes(zip64(member, 8, std::uint64_t{16} << 30)),
             Contains("17179869184 bytes cannot be inflated from"));
  CHECK_THAT(refusal_of_bytes(zip64(member, 8, ~std::uint64_t{0})), Contains("more than"));
}

TEST_CASE("members that are encrypted or packed in other ways are refused", "[io]") {
  std::string bytes = zip_bytes({{"q.npy", array_of({1, 2, 3}), true}});
  std::string bzip2 = bytes;
  bzip2.replace(bzip2.rfind("PK\1\2") + 10, 2, little_endian(12, 2));
  CHECK_THAT(refusal_of_bytes(bzip2, "x.npz"),
             Contains("x.npz: q.npy: is packed by ZIP's method 12"));
  std::string encrypted = bytes;
  encrypted.replace(encrypted.rfind("PK\1\2") + 8, 2, little_endian(1, 2));
  CHECK_THAT(refusal_of_bytes(encrypted, "x.npz"), Contains("is encrypted"));
}

}  // namespace attnlab
