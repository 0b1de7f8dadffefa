// Every rule of .npy by bytes of its own.
#include <algorithm>

#include "io/npy_header.h"
#include "io/tensor_bytes.h"

namespace attnlab {
namespace {

using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

const std::string kSixFloats = bytes_of_numbers<float>({1, 2, 3, 4, 5, 6});

std::string with_type(const std::string& type, std::size_t bytes) {
  return npy(npy_dictionary(type, "(2,)"), std::string(bytes, '\0'));
}

}  // namespace

TEST_CASE("npy versions 1, 2 and 3 are read, padded or not", "[io]") {
  for (const int version : {1, 2, 3}) {
    for (const std::size_t padding : {0, 1, 7, 53}) {
      INFO(version << " " << padding);
      const std::string dictionary = npy_dictionary("<f4", "(2, 3)");
      auto file =
          open_bytes(npy(dictionary + std::string(padding, ' ') + "\n", kSixFloats, version));
      REQUIRE(file->entries().size() == 1);
      CHECK(file->format() == TensorFormat::kNpy);
      CHECK(file->entries()[0].name.empty());
      CHECK(file->entries()[0].type == "<f4");
      CHECK(file->entries()[0].shape == std::vector<std::int64_t>{2, 3});
      CHECK(file->entries()[0].elements == 6);
      CHECK(file->entries()[0].dtype == Dtype::kF32);
      CHECK(all_floats(*file) == std::vector<float>{1, 2, 3, 4, 5, 6});
    }
  }
  // The line end that closes a header is NumPy's custom, not needed to understand it.
  CHECK(all_floats(*open_bytes(npy(npy_dictionary("<f4", "(6,)"), kSixFloats))).size() == 6);
}

TEST_CASE("npy versions that are not known are refused", "[io]") {
  for (const int version : {0, 4, 255}) {
    CHECK_THAT(refusal_of_bytes(npy(npy_dictionary("<f4", "(6,)"), kSixFloats, version)),
               Contains("is of .npy version"));
  }
  std::string minor = npy(npy_dictionary("<f4", "(6,)"), kSixFloats);
  minor[7] = 1;
  CHECK_THAT(refusal_of_bytes(minor), Contains("is of .npy version 1.1; versions 1.0, 2.0"));
}

TEST_CASE("npy shapes have any number of axes, also none and sizes of 0", "[io]") {
  const auto shape_of = [](const std::string& shape, std::size_t elements) {
    const std::string data(elements * 4, '\0');
    return open_bytes(npy(npy_dictionary("<f4", shape), data))->entries()[0].shape;
  };
  CHECK(shape_of("()", 1).empty());
  CHECK(shape_of("(3,)", 3) == std::vector<std::int64_t>{3});
  CHECK(shape_of("( 3 , )", 3) == std::vector<std::int64_t>{3});
  CHECK(shape_of("(2L, 3L)", 6) == std::vector<std::int64_t>{2, 3});
  CHECK(shape_of("(2, 3,)", 6) == std::vector<std::int64_t>{2, 3});
  CHECK(shape_of("(0, 5)", 0) == std::vector<std::int64_t>{0, 5});
  CHECK(shape_of("(1, 1, 1, 1, 1, 1, 2)", 2).size() == 7);
  auto single = open_bytes(npy(npy_dictionary("<f4", "()"), bytes_of_numbers<float>({7})));
  CHECK(single->entries()[0].elements == 1);
  CHECK(all_floats(*single) == std::vector<float>{7});
  CHECK(all_floats(*open_bytes(npy(npy_dictionary("<f4", "(0,)"), ""))).empty());
}

TEST_CASE("npy shapes that are none are refused", "[io]") {
  const auto refusal = [](const std::string& shape) {
    return refusal_of_bytes(npy(npy_dictionary("<f4", shape), kSixFloats));
  };
  CHECK_THAT(refusal("(6)"), Contains("the shape is a number, not a tuple"));
  CHECK_THAT(refusal("6"), Contains("'(' is needed here"));
  CHECK_THAT(refusal("[6]"), Contains("'(' is needed here"));
  CHECK_THAT(refusal("(-6,)"), Contains("whole numbers from 0 on"));
  CHECK_THAT(refusal("(6.0,)"), Contains("')' is needed here"));
  CHECK_THAT(refusal("(6 6)"), Contains("')' is needed here"));
  CHECK_THAT(refusal("(,)"), Contains("whole numbers from 0 on"));
  CHECK_THAT(refusal("(99999999999999999999,)"), Contains("does not fit 64 bits"));
  CHECK_THAT(refusal("(4294967296, 4294967296)"), Contains("more elements than 64 bits count"));
  CHECK_THAT(refusal("(9223372036854775807,)"), Contains("more elements than 64 bits count"));
  std::string axes = "(";
  for (int i = 0; i < 65; ++i) axes += "1,";
  CHECK_THAT(refusal(axes + ")"), Contains("has 65 axes, more than 64"));
}

TEST_CASE("an npy dictionary needs its three keys once, and nothing else", "[io]") {
  const auto refusal = [](const std::string& text) {
    return refusal_of_bytes(npy(text, kSixFloats));
  };
  CHECK(refusal("{\"shape\": (6,), 'fortran_order': False, 'descr': \"<f4\"}").empty());
  CHECK(refusal("{ 'descr' :'<f4' , 'fortran_order':False,'shape':(6,) }\t\n").empty());
  CHECK_THAT(refusal("{'descr': '<f4', 'shape': (6,)}"), Contains("'fortran_order' is missing"));
  CHECK_THAT(refusal("{'fortran_order': False, 'shape': (6,)}"), Contains("'descr' is missing"));
  CHECK_THAT(refusal("{'descr': '<f4', 'fortran_order': False}"), Contains("'shape' is missing"));
  CHECK_THAT(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'x': 1}"),
             Contains("the key 'x' is unknown"));
  CHECK_THAT(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (6,), 'shape': (6,)}"),
             Contains("'shape' is given twice"));
  CHECK_THAT(refusal("{'descr': '<f4', 'fortran_order': 0, 'shape': (6,)}"),
             Contains("True or False is needed"));
  CHECK_THAT(refusal("{'descr': '<f4', 'fortran_order': False, 'shape': (6,)} x"),
             Contains("something follows the dictionary"));
  CHECK_THAT(refusal("{'descr': '<f4"), Contains("a text in quotes does not end"));
  CHECK_THAT(refusal("{'descr': [('a', '<f4')"), Contains("the list of fields does not end"));
  CHECK_THAT(refusal("{'descr': <f4}"), Contains("a text in quotes is needed here"));
  CHECK_THAT(refusal("{'descr' '<f4'}"), Contains("':' is needed here"));
  CHECK_THAT(refusal(""), Contains("'{' is needed here"));
  // Never evaluated: a call is no literal.
  CHECK_THAT(refusal("__import__('os').abort()"), StartsWith("x.npy: header, byte 0: '{' is"));
}

TEST_CASE("npy types of floating-point numbers are read, in either order of bytes", "[io]") {
  for (const auto& [type, dtype, bytes] : std::vector<std::tuple<std::string, Dtype, std::size_t>>{
           {"f2", Dtype::kF16, 4}, {"f4", Dtype::kF32, 8}, {"f8", Dtype::kF64, 16}}) {
    for (const std::string order : {"<", ">", "=", "|", ""}) {
      INFO(order << type);
      auto file = open_bytes(with_type(order + type, bytes));
      CHECK(file->entries()[0].dtype == dtype);
      CHECK(file->entries()[0].type == order + type);
      CHECK(file->entries()[0].refusal.empty());
    }
  }
  std::string big = bytes_of_numbers<double>({1.5, -2.0});
  std::reverse(big.begin(), big.begin() + 8);
  std::reverse(big.begin() + 8, big.end());
  CHECK(all_floats(*open_bytes(npy(npy_dictionary(">f8", "(2,)"), big))) ==
        std::vector<float>{1.5f, -2.0f});
}

TEST_CASE("npy types of integers and flags are listed, not read as numbers", "[io]") {
  for (const auto& [type, bytes, word] :
       std::vector<std::tuple<std::string, std::size_t, std::string>>{
           {"|i1", 2, "an integer type (|i1)"},
           {"<i2", 4, "an integer type"},
           {">i4", 8, "an integer type"},
           {"<i8", 16, "an integer type"},
           {"|u1", 2, "an integer type"},
           {"<u2", 4, "an integer type"},
           {"<u4", 8, "an integer type"},
           {"<u8", 16, "an integer type"},
           {"|b1", 2, "boolean type (|b1)"},
           {"?", 2, "boolean type"},
           {"<f16", 32, "extended precision"},
           {"<f12", 24, "extended precision"}}) {
    INFO(type);
    auto file = open_bytes(with_type(type, bytes));
    CHECK(file->entries()[0].shape == std::vector<std::int64_t>{2});
    CHECK_FALSE(file->entries()[0].dtype);
    CHECK_THAT(refusal_of([&] { all_floats(*file); }),
               StartsWith("x.npy: is of ") && Contains(word) && Contains("; save it as float"));
  }
  auto flags = open_bytes(npy(npy_dictionary("|b1", "(4,)"), std::string("\0\1\2\0", 4)));
  CHECK(flags->entries()[0].is_bool);
  std::vector<std::uint8_t> out(4, 9);
  flags->read_flags(0, whole_box(flags->entries()[0]), out);
  CHECK(out == std::vector<std::uint8_t>{0, 1, 1, 0});
  auto numbers = open_bytes(npy(npy_dictionary("|u1", "(4,)"), "abcd"));
  CHECK_THAT(refusal_of([&] {
               numbers->read_flags(0, {{0, 4}}, out);
             }),
             Contains("is of type |u1, not boolean"));
}

TEST_CASE("npy types of anything else are refused with the reason and a remedy", "[io]") {
  const auto refusal = [](const std::string& type) {
    return refusal_of_bytes(with_type(type, 32));
  };
  CHECK_THAT(refusal("|O"), Contains("pickled Python objects, which are never loaded") &&
                                Contains("; save it as a plain array"));
  CHECK_THAT(refusal("O"), Contains("pickled Python objects"));
  CHECK_THAT(refusal("/O"), Contains("pickled Python objects"));
  CHECK_THAT(refusal("<c8"), Contains("is of a complex type (<c8); save its real and imaginary"));
  CHECK_THAT(refusal("<c16"), Contains("complex"));
  CHECK_THAT(refusal("|V2"), Contains("holds raw bytes (|V2)") && Contains("bfloat16"));
  CHECK_THAT(refusal("<U5"), Contains("holds text (<U5)"));
  CHECK_THAT(refusal("|S7"), Contains("holds text"));
  CHECK_THAT(refusal("<M8[ns]"), Contains("holds dates"));
  CHECK_THAT(refusal("<m8"), Contains("holds dates"));
  for (const std::string type :
       {"", "<", "<f", "<f3", "<f04", "<f-4", "<f4x", "<i16", "b2", "<q8", "/f4"}) {
    CHECK_THAT(refusal(type), Contains("is of an unknown type: '" + type + "'"));
  }
  CHECK_THAT(refusal_of_bytes(npy("{'descr': [('a]', '<f4'), ('b', '<i4', (2,))], "
                                  "'fortran_order': False, 'shape': (2,)}",
                                  std::string(24, '\0'))),
             Contains("is of a structured type: [('a]', '<f4'), ('b', '<i4', (2,))]; save each"));
}

TEST_CASE("an npy that is cut off or goes on is refused", "[io]") {
  const std::string whole = npy(npy_dictionary("<f4", "(2, 3)"), kSixFloats);
  REQUIRE(refusal_of_bytes(whole).empty());
  for (std::size_t size = 1; size < whole.size(); ++size) {
    INFO(size);
    CHECK_THAT(refusal_of_bytes(whole.substr(0, size)), Contains("cut off"));
  }
  CHECK_THAT(refusal_of_bytes(whole.substr(0, whole.size() - 1)),
             Contains("23 bytes follow its header, but [2, 3] of <f4 are 24"));
  CHECK_THAT(refusal_of_bytes(whole + "x"),
             Contains("25 bytes follow its header") && Contains("file of its own"));
  std::string longer = whole;  // the header's length passes the end of the file
  longer[9] = '\x7f';
  CHECK_THAT(refusal_of_bytes(longer), Contains("ends within the header"));
  CHECK_THAT(refusal_of_bytes(
                 npy(npy_dictionary("<f4", "(6,)") + std::string(70'000, ' '), kSixFloats, 2)),
             Contains("bytes, more than 65536"));
}

TEST_CASE("what is no npy says what it is", "[io]") {
  CHECK_THAT(refusal_of_bytes("hello, world"),
             Contains("is no .npy array: it does not begin with"));
  CHECK_THAT(refusal_of_bytes("hello, world", "x.dat"), Contains("is in no format that is read"));
  CHECK_THAT(refusal_of_bytes("", "x.npy"), Contains("x.npy: is empty; give a .npy"));
  CHECK_THAT(refusal_of_bytes("\x80\x02]q.", "x.npy"), Contains("is a Python pickle"));
  CHECK_THAT(refusal_of_bytes("(lp0\n.", "x.pkl"), Contains("is a Python pickle"));
  CHECK_THAT(refusal_of_bytes("version https://git-lfs.github.com/spec/v1\noid", "x.npy"),
             Contains("Git LFS pointer") && Contains("git lfs pull"));
  CHECK_THAT(refusal_of_bytes("GGUF\3\0\0\0", "x.gguf"), Contains("is a GGUF file"));
  CHECK_THAT(refusal_of_bytes("\x89HDF\r\n", "x.h5"), Contains("is an HDF5 file"));
  CHECK_THAT(refusal_of_bytes("\x1f\x8b\x08", "x.npy.gz"), Contains("gzip"));
}

}  // namespace attnlab
