// Every rule of .safetensors by bytes of its own.
#include <cmath>

#include "io/safetensors_header.h"
#include "io/tensor_bytes.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

std::string tensor(const std::string& name, const std::string& type, const std::string& shape,
                   std::int64_t begin, std::int64_t end) {
  return "\"" + name + "\":{\"dtype\":\"" + type + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

std::string refusal_of_header(const std::string& header, std::size_t data_bytes) {
  return refusal_of_bytes(safetensors(header, std::string(data_bytes, '\0')), "x.safetensors");
}

}  // namespace

TEST_CASE("safetensors are listed in the order of their bytes and read", "[io]") {
  const std::string header = "{\"__metadata__\":{\"format\":\"pt\"}," +
                             tensor("layers.0.key", "F64", "[1,2]", 8, 24) + "," +
                             tensor("ключ", "F32", "[2]", 0, 8) + "}   ";
  auto file = open_bytes(
      safetensors(header, bytes_of_numbers<float>({1, 2}) + bytes_of_numbers<double>({3, 1e300})),
      "x.safetensors");
  CHECK(file->format() == TensorFormat::kSafetensors);
  REQUIRE(file->entries().size() == 2);
  CHECK(file->entries()[0].name == "ключ");
  CHECK(file->entries()[1].name == "layers.0.key");
  CHECK(file->entries()[1].type == "F64");
  CHECK(all_floats(*file, 0) == std::vector<float>{1, 2});
  std::vector<float> floats(2);
  CHECK(file->read(1, whole_box(file->entries()[1]), std::span(floats)) == 1);  // 1e300
  CHECK(floats[0] == 3);
  CHECK(std::isinf(floats[1]));
  std::vector<double> doubles(2);
  file->read(1, whole_box(file->entries()[1]), std::span(doubles));
  CHECK(doubles == std::vector<double>{3, 1e300});
}

TEST_CASE("safetensors are known by their bytes whatever the name", "[io]") {
  const std::string bytes = safetensors("{" + tensor("a", "F32", "[1]", 0, 4) + "}", "1234");
  CHECK(refusal_of_bytes(bytes, "x.bin").empty());
  CHECK(refusal_of_bytes(bytes, "x.npy").empty());
}

TEST_CASE("safetensors without tensors, of rank 0 and of size 0 are read", "[io]") {
  CHECK(open_bytes(safetensors("{}", ""), "x.safetensors")->entries().empty());
  auto file = open_bytes(
      safetensors("{" + tensor("a", "F32", "[0,3]", 0, 0) + "," + tensor("b", "F32", "[]", 0, 4) +
                      "," + tensor("c", "F32", "[7,0]", 4, 4) + "}",
                  bytes_of_numbers<float>({5})),
      "x.safetensors");
  REQUIRE(file->entries().size() == 3);
  CHECK(file->entries()[1].shape.empty());
  CHECK(all_floats(*file, 1) == std::vector<float>{5});
  CHECK(all_floats(*file, 0).empty());
  CHECK_THAT(refusal_of([] { open_bytes(safetensors("{}", ""), "x.safetensors")->find("a"); }),
             Contains("holds no arrays"));
}

TEST_CASE("safetensors types of each kind", "[io]") {
  for (const auto& [type, bits, word] :
       std::vector<std::tuple<std::string, int, std::string>>{{"F64", 64, ""},
                                                              {"F32", 32, ""},
                                                              {"F16", 16, ""},
                                                              {"BF16", 16, ""},
                                                              {"BOOL", 8, "boolean"},
                                                              {"I8", 8, "integer"},
                                                              {"U8", 8, "integer"},
                                                              {"I16", 16, "integer"},
                                                              {"U16", 16, "integer"},
                                                              {"I32", 32, "integer"},
                                                              {"U32", 32, "integer"},
                                                              {"I64", 64, "integer"},
                                                              {"U64", 64, "integer"},
                                                              {"C64", 64, "complex"},
                                                              {"F8_E5M2", 8, "quantised"},
                                                              {"F8_E4M3", 8, "quantised"},
                                                              {"F8_E8M0", 8, "quantised"},
                                                              {"F6_E2M3", 6, "quantised"},
                                                              {"F6_E3M2", 6, "quantised"},
                                                              {"F4", 4, "quantised"}}) {
    INFO(type);
    const int bytes = bits * 4 / 8;
    auto file = open_bytes(
        safetensors("{" + tensor("a", type, "[2,2]", 0, bytes) + "}", std::string(bytes, '\0')),
        "x.safetensors");
    CHECK(file->entries()[0].type == type);
    CHECK(file->entries()[0].dtype.has_value() == word.empty());
    CHECK(file->entries()[0].is_bool == (type == "BOOL"));
    const std::string refusal = refusal_of([&] { all_floats(*file); });
    if (word.empty()) CHECK(refusal.empty());
    if (!word.empty()) CHECK_THAT(refusal, Contains("x.safetensors: a: is of ") && Contains(word));
  }
  CHECK_THAT(refusal_of_header("{" + tensor("a", "F31", "[1]", 0, 4) + "}", 4),
             Contains("is of an unknown type: F31"));
  CHECK_THAT(refusal_of_header("{" + tensor("a", "F4", "[3]", 0, 1) + "}", 1),
             Contains("[3] of F4 have 12 bits"));
}

TEST_CASE("a safetensors length must fit the file and the limit", "[io]") {
  for (std::size_t size = 1; size < 8; ++size) {
    CHECK_THAT(refusal_of_bytes(std::string(size, '\1'), "x.safetensors"),
               Contains("begins with 8"));
  }
  CHECK_THAT(refusal_of_bytes(little_endian(100'000'001, 8) + "{}", "x.safetensors"),
             Contains("would have 100000001 bytes, more than 100000000"));
  CHECK_THAT(refusal_of_bytes(little_endian(100'000'000, 8) + "{}", "x.safetensors"),
             Contains("ends within its header of 100000000 bytes (10 bytes)"));
  CHECK_THAT(refusal_of_bytes(little_endian(~std::uint64_t{0}, 8) + "{}", "x.safetensors"),
             Contains("would have 18446744073709551615 bytes"));
  CHECK_THAT(refusal_of_bytes(little_endian(0, 8), "x.safetensors"),
             Contains("does not begin with {"));
  CHECK_THAT(refusal_of_header(" {}", 0), Contains("does not begin with {"));
  CHECK_THAT(refusal_of_header("[]", 0), Contains("does not begin with {"));
}

TEST_CASE("a safetensors header is strict JSON of the format's form", "[io]") {
  const std::string a = tensor("a", "F32", "[1]", 0, 4);
  const auto refusal = [](const std::string& header) { return refusal_of_header(header, 4); };
  REQUIRE(refusal("{" + a + "}").empty());
  CHECK(refusal("{" + a + "} \n").empty());
  CHECK_THAT(refusal("{" + a),
             StartsWith("x.safetensors: header, byte ") && Contains("syntax error"));
  CHECK_THAT(refusal("{" + a + "}{"), Contains("syntax error"));
  CHECK_THAT(refusal("{" + a + "}" + std::string(1, '\0')), Contains("a zero byte is no JSON"));
  CHECK_THAT(refusal("{\"\xff\":1}"), Contains("ill-formed UTF-8"));
  CHECK_THAT(refusal("{" + a + "," + a + "}"), Contains("the key a is given twice"));
  CHECK_THAT(refusal("{\"a\":1}"), Contains("a is 1, not an object"));
  CHECK_THAT(refusal("{\"a\":null}"), Contains("a is null, not an object"));
  CHECK_THAT(refusal("{\"a\":[]}"), Contains("a is a list, not an object"));
  CHECK_THAT(refusal("{\"a\":{}}"), Contains("the key dtype is missing"));
  CHECK_THAT(refusal("{\"a\":{\"dtype\":\"F32\",\"shape\":[1]}}"),
             Contains("x.safetensors: a: the key data_offsets is missing"));
  CHECK_THAT(refusal("{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}"),
             Contains("the key dtype is given twice"));
  const auto with = [](const std::string& dtype, const std::string& shape,
                       const std::string& offsets) {
    return "{\"a\":{\"dtype\":" + dtype + ",\"shape\":" + shape + ",\"data_offsets\":" + offsets +
           "}}";
  };
  REQUIRE(refusal(with("\"F32\"", "[1]", "[0,4]")).empty());
  CHECK_THAT(refusal(with("32", "[1]", "[0,4]")), Contains("dtype is 32, not a text"));
  CHECK_THAT(refusal(with("[]", "[1]", "[0,4]")), Contains("dtype is a list, not a text"));
  CHECK_THAT(refusal(with("\"F32\"", "1", "[0,4]")), Contains("shape is 1, not a list of numbers"));
  CHECK_THAT(refusal(with("\"F32\"", "{}", "[0,4]")), Contains("shape is an object"));
  CHECK_THAT(refusal(with("\"F32\"", "[-1]", "[0,4]")), Contains("-1 in the shape is no whole"));
  CHECK_THAT(refusal(with("\"F32\"", "[1.0]", "[0,4]")), Contains("1.0 in the shape is no whole"));
  CHECK_THAT(refusal(with("\"F32\"", "[1e0]", "[0,4]")), Contains("1e0 in the shape is no whole"));
  CHECK_THAT(refusal(with("\"F32\"", "[\"1\"]", "[0,4]")), Contains("a text in the shape"));
  CHECK_THAT(refusal(with("\"F32\"", "[[1]]", "[0,4]")), Contains("a list in the shape"));
  CHECK_THAT(refusal(with("\"F32\"", "[true]", "[0,4]")), Contains("a truth value in the shape"));
  CHECK_THAT(refusal(with("\"F32\"", "[1]", "[0]")), Contains("data_offsets needs two numbers"));
  CHECK_THAT(refusal(with("\"F32\"", "[1]", "[0,4,4]")),
             Contains("data_offsets needs two numbers"));
  CHECK_THAT(refusal(with("\"F32\"", "[1]", "[0,null]")), Contains("null in data_offsets"));
  CHECK_THAT(refusal(with("\"F32\"", "[1]", "[0,99999999999999999999999]")),
             Contains("in data_offsets is no whole number"));
  // Keys that the format does not know are passed over, whatever they hold.
  CHECK(
      refusal(
          "{\"a\":{\"dtype\":\"F32\",\"note\":{\"x\":[{},{\"dtype\":1}]},\"shape\":[1],\"l\":[[]],"
          "\"n\":null,\"data_offsets\":[0,4]}}")
          .empty());
}

TEST_CASE("safetensors metadata is an object of texts", "[io]") {
  const auto refusal = [](const std::string& metadata) {
    return refusal_of_header("{\"__metadata__\":" + metadata + "}", 0);
  };
  CHECK(refusal("{}").empty());
  CHECK(refusal("{\"a\":\"b\"}").empty());
  CHECK_THAT(refusal("{\"a\":1}"), Contains("__metadata__: a is 1, not a text"));
  CHECK_THAT(refusal("{\"a\":{}}"), Contains("a is an object, not a text"));
  CHECK_THAT(refusal("[]"), Contains("__metadata__ is a list, not an object"));
  CHECK_THAT(refusal("{\"a\":\"b\",\"a\":\"c\"}"), Contains("the key a is given twice"));
  CHECK_THAT(refusal("{},\"__metadata__\":{}"), Contains("__metadata__ is given twice"));
}

TEST_CASE("safetensors offsets leave no hole, no overlap and no rest", "[io]") {
  const auto refusal = [](const std::string& a, const std::string& b, std::size_t bytes) {
    return refusal_of_header("{" + a + "," + b + "}", bytes);
  };
  const std::string a = tensor("a", "F32", "[2]", 0, 8);
  CHECK(refusal(a, tensor("b", "F32", "[1]", 8, 12), 12).empty());
  CHECK_THAT(
      refusal(a, tensor("b", "F32", "[1]", 12, 16), 16),
      Contains("x.safetensors: b: data_offsets begin at 12, with a hole behind what ends at 8"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[1]", 4, 8), 8),
             Contains("b: data_offsets begin at 4, within another tensor that ends at 8"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[2]", 0, 8), 8), Contains("within another tensor"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[1]", 8, 12), 11),
             Contains("b: its numbers end at byte 12 behind the header, the file at 11"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[1]", 8, 12), 13),
             Contains("13 bytes follow its header, but its tensors have 12"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[1]", 12, 8), 12), Contains("[12, 8] do not fit"));
  CHECK_THAT(refusal(a, tensor("b", "F32", "[2]", 8, 12), 12),
             Contains("data_offsets [8, 12] do not fit: [2] of F32 have 64 bits"));
  CHECK_THAT(refusal_of_header("{" + tensor("a", "F32", "[1]", 4, 8) + "}", 8),
             Contains("begin at 4, with a hole behind what ends at 0"));
  CHECK_THAT(refusal_of_header("{}", 1), Contains("1 bytes follow its header"));
}

TEST_CASE("safetensors sizes that overflow are refused", "[io]") {
  const auto refusal = [](const std::string& type, const std::string& shape) {
    return refusal_of_header("{" + tensor("a", type, shape, 0, 16) + "}", 16);
  };
  CHECK_THAT(refusal("I32", "[2,18446744073709551614]"),
             Contains("18446744073709551614 is too large"));
  CHECK_THAT(refusal("I32", "[4294967296,4294967296]"),
             Contains("more elements than 64 bits count"));
  CHECK_THAT(refusal("I32", "[4611686018427387908]"), Contains("more elements than 64 bits count"));
  CHECK_THAT(
      refusal_of_header(
          "{" + tensor("a", "U8", "[9223372036854775807]", 0, 9223372036854775807) + "}", 16),
      Contains("more elements than 64 bits count"));
}

TEST_CASE("a safetensors header of very many tensors is read", "[io]") {
  std::string header = "{";
  constexpr int kTensors = 30'000;  // more keys than a JSON document of ours may have
  for (int i = 0; i < kTensors; ++i) {
    header += (i > 0 ? "," : "") + tensor("t" + std::to_string(i), "F32", "[1]", 4 * i, 4 * i + 4);
  }
  header += "}";
  auto file = open_bytes(safetensors(header, std::string(4 * kTensors, '\0')), "x.safetensors");
  CHECK(file->entries().size() == kTensors);
  CHECK(file->find("t29999") == 29'999);
  CHECK_THAT(refusal_of([&] { file->find("nothing-like-it"); }), Contains("... (30000 in all)"));
}

}  // namespace attnlab
