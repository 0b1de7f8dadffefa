#include "tensor/index_expression.h"

#include <algorithm>

namespace attnlab {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_space(char c) { return c == ' ' || c == '\t'; }

// Bytes of the UTF-8 character that begins here; 1 for what is none.
std::size_t character_bytes(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t wanted = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 1;
  return std::min(wanted, text.size());
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  IndexExpression parse() {
    IndexExpression out;
    out.text = text_;
    if (std::all_of(text_.begin(), text_.end(), is_space)) {
      throw ExpressionError(0, "the expression is empty", "write one such as ij,jk->ik");
    }
    begin();
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (is_space(c)) {
        ++at_;
      } else if (is_letter(c)) {
        current_.positions.push_back(at_++);
        current_.letters += c;
      } else if (c == '.') {
        ellipsis();
      } else if (c == ',') {
        if (in_output_) {
          throw ExpressionError(at_, "a comma in the result", "there is one result only");
        }
        end_operand(out);
      } else if (c == '-') {
        arrow(out);
      } else {
        refuse_character();
      }
    }
    current_.end = at_;
    if (in_output_) {
      out.output = std::move(current_);
    } else {
      out.operands.push_back(std::move(current_));
    }
    check_output(out);
    return out;
  }

 private:
  void begin() {
    current_ = {};
    current_.begin = at_;
  }

  void end_operand(IndexExpression& out) {
    current_.end = at_++;
    out.operands.push_back(std::move(current_));
    if (out.operands.size() == kMostOperands) {
      throw ExpressionError(at_ - 1, "more than " + std::to_string(kMostOperands) + " operands",
                            "split the expression");
    }
    begin();
  }

  void ellipsis() {
    if (text_.substr(at_, 3) != "...") {
      throw ExpressionError(at_, "a point that is no \"...\"", "write three points, or a letter");
    }
    if (current_.ellipsis) {
      throw ExpressionError(
          at_, in_output_ ? "a second \"...\" in the result" : "a second \"...\" in one operand",
          "one stands for all axes that are not named");
    }
    current_.ellipsis = current_.letters.size();
    current_.ellipsis_position = at_;
    at_ += 3;
  }

  void arrow(IndexExpression& out) {
    if (text_.substr(at_, 2) != "->") {
      throw ExpressionError(at_, "a \"-\" that begins no arrow", "write -> before the result");
    }
    if (in_output_) throw ExpressionError(at_, "a second arrow", "there is one result only");
    current_.end = at_;
    out.operands.push_back(std::move(current_));
    in_output_ = true;
    at_ += 2;
    begin();
  }

  [[noreturn]] void refuse_character() const {
    std::string shown(text_.substr(at_, character_bytes(text_.substr(at_))));
    const auto c = static_cast<unsigned char>(shown[0]);
    if (c < 0x20 || c == 0x7F) shown = "a control character";
    throw ExpressionError(at_, shown + " is no index",
                          "indices are the letters a-z and A-Z; operands are separated by commas, "
                          "-> stands before the result");
  }

  static void check_output(const IndexExpression& out) {
    if (!out.output) return;
    const Subscripts& result = *out.output;
    for (std::size_t i = 0; i < result.letters.size(); ++i) {
      const char letter = result.letters[i];
      if (result.letters.find(letter) < i) {
        throw ExpressionError(result.positions[i],
                              std::string("index ") + letter + " stands twice in the result",
                              "a result has each of its indices once");
      }
      const bool is_known =
          std::any_of(out.operands.begin(), out.operands.end(), [&](const Subscripts& operand) {
            return operand.letters.find(letter) != std::string::npos;
          });
      if (!is_known) {
        throw ExpressionError(result.positions[i],
                              std::string("index ") + letter + " is in the result only",
                              "every index of the result must be one of an operand's");
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  bool in_output_ = false;
  Subscripts current_;
};

}  // namespace

bool IndexExpression::has_ellipsis() const {
  return std::any_of(operands.begin(), operands.end(),
                     [](const Subscripts& operand) { return operand.ellipsis.has_value(); });
}

std::string IndexExpression::output_letters() const {
  if (output) return output->letters;
  std::string all, out;
  for (const Subscripts& operand : operands) all += operand.letters;
  std::sort(all.begin(), all.end());
  for (const char letter : all) {
    if (std::count(all.begin(), all.end(), letter) == 1) out += letter;
  }
  return out;
}

std::size_t IndexExpression::output_ellipsis() const {
  return output ? output->ellipsis.value_or(0) : 0;
}

IndexExpression parse_index_expression(std::string_view text) { return Parser(text).parse(); }

}  // namespace attnlab
