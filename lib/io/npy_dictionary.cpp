// The Python literal in a .npy header: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"
#include "io/npy_header.h"

namespace attnlab {
namespace {

constexpr std::string_view kSpaces = " \t\n\r\f\v";

class Parser {
 public:
  Parser(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  NpyDictionary dictionary() {
    NpyDictionary out;
    expect('{');
    std::vector<std::string> seen;
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (std::find(seen.begin(), seen.end(), key) != seen.end()) {
        fail(fmt::format("the key '{}' is given twice", printable(key)));
      }
      seen.push_back(key);
      if (key == "descr") {
        read_type(out);
      } else if (key == "fortran_order") {
        out.is_fortran = truth();
      } else if (key == "shape") {
        out.shape = shape();
      } else {
        fail(fmt::format("the key '{}' is unknown", printable(key)));
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_spaces();
    if (at_ != text_.size()) fail("something follows the dictionary");
    for (const char* key : {"descr", "fortran_order", "shape"}) {
      if (std::find(seen.begin(), seen.end(), key) == seen.end()) {
        fail(fmt::format("the key '{}' is missing", key));
      }
    }
    return out;
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw UserError(fmt::format("{}: header, byte {}", place_, at_), problem,
                    "the file is damaged or was not written by NumPy: save the array again");
  }

  void skip_spaces() { at_ = std::min(text_.find_first_not_of(kSpaces, at_), text_.size()); }

  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  bool accept(char wanted) {
    if (peek() != wanted || at_ == text_.size()) return false;
    ++at_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) fail(fmt::format("'{}' is needed here", wanted));
  }

  // A text in single or double quotes. Nothing that matters has escapes: they stay as they are.
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail("a text in quotes is needed here");
    const std::size_t begin = ++at_;
    while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
    if (at_ >= text_.size()) {
      at_ = begin - 1;
      fail("a text in quotes does not end");
    }
    return std::string(text_.substr(begin, at_++ - begin));
  }

  // A text, or a list of fields, of which only the extent is found.
  void read_type(NpyDictionary& out) {
    const char first = peek();
    if (first != '[' && first != '(' && first != '{') {
      out.type = quoted();
      return;
    }
    out.has_fields = true;
    const std::size_t begin = at_;
    int open = 0;
    do {
      const char next = peek();
      if (at_ == text_.size()) fail("the list of fields does not end");
      if (next == '\'' || next == '"') {
        quoted();
        continue;
      }
      if (next == '[' || next == '(' || next == '{') ++open;
      if (next == ']' || next == ')' || next == '}') --open;
      ++at_;
    } while (open > 0);
    out.type = std::string(text_.substr(begin, at_ - begin));
  }

  bool truth() {
    skip_spaces();
    for (const auto& [word, value] : {std::pair{"True", true}, std::pair{"False", false}}) {
      if (!text_.substr(at_).starts_with(word)) continue;
      at_ += std::string_view(word).size();
      return value;
    }
    fail("True or False is needed here");
  }

  // A tuple: (), (3,), (2, 3). Python 2 wrote long numbers as 3L.
  std::vector<std::int64_t> shape() {
    std::vector<std::int64_t> out;
    expect('(');
    bool is_tuple = true;
    while (!accept(')')) {
      skip_spaces();
      const std::size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
      const auto size = integer_from_text(text_.substr(at_, end - at_));
      if (!size) {
        fail(end == at_ ? "the shape needs whole numbers from 0 on"
                        : "a number of the shape does not fit 64 bits");
      }
      out.push_back(*size);
      at_ = end;
      accept('L');
      is_tuple = accept(',');
      if (!is_tuple) {
        expect(')');
        break;
      }
    }
    if (out.size() == 1 && !is_tuple) fail("the shape is a number, not a tuple");
    return out;
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
};

}  // namespace

NpyDictionary parse_npy_dictionary(std::string_view text, const std::string& place) {
  return Parser(text, place).dictionary();
}

}  // namespace attnlab
