#include "experiments/contract_request.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "base/json.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr std::size_t kShownBytes = 100;  // of a text with a caret
constexpr std::size_t kMostAxes = 32;     // of an operand

// A part of a comma-separated text, with its place in it.
struct Piece {
  std::string_view text;
  std::size_t position;
};

std::vector<Piece> pieces_of(const std::string& text, char separator, std::size_t offset = 0) {
  std::vector<Piece> out;
  std::string_view rest = text;
  std::size_t at = offset;
  while (true) {
    const std::size_t end = rest.find(separator);
    out.push_back({rest.substr(0, end), at});
    if (end == std::string_view::npos) return out;
    rest.remove_prefix(end + 1);
    at += end + 1;
  }
}

// Without spaces around it.
Piece trimmed(Piece piece) {
  while (!piece.text.empty() && piece.text.front() == ' ') {
    piece.text.remove_prefix(1);
    ++piece.position;
  }
  while (!piece.text.empty() && piece.text.back() == ' ') piece.text.remove_suffix(1);
  return piece;
}

// A size from 1 on.
std::int64_t size_of(const Piece& piece) {
  std::int64_t out = 0;
  const char* const end = piece.text.data() + piece.text.size();
  const auto [stop, error] = std::from_chars(piece.text.data(), end, out);
  const auto here = piece.position + static_cast<std::size_t>(stop - piece.text.data());
  if (error == std::errc::result_out_of_range) {
    throw ExpressionError(piece.position, "the size is too large", "choose a smaller one");
  }
  if (error != std::errc() || stop != end) {
    throw ExpressionError(here, "a size is a whole number", "write one such as 64");
  }
  if (out < 1) throw ExpressionError(piece.position, "a size is at least 1", "choose a larger one");
  return out;
}

IndexSizes sizes_of(const std::string& text, const IndexExpression& expression) {
  IndexSizes out;
  for (const Piece& whole : pieces_of(text, ',')) {
    const Piece piece = trimmed(whole);
    const std::size_t equals = piece.text.find('=');
    if (equals == std::string_view::npos) {
      throw ExpressionError(piece.position, "a size without \"=\"", "write index=size, as b=1");
    }
    const Piece name = trimmed({piece.text.substr(0, equals), piece.position});
    if (name.text.size() != 1) {
      throw ExpressionError(name.position, "an index is one letter", "write index=size, as b=1");
    }
    const char letter = name.text[0];
    const bool is_known = std::any_of(expression.operands.begin(), expression.operands.end(),
                                      [&](const Subscripts& operand) {
                                        return operand.letters.find(letter) != std::string::npos;
                                      });
    if (!is_known) {
      throw ExpressionError(name.position, printable(name.text) + " is no index of the expression",
                            "leave it out");
    }
    if (std::any_of(out.begin(), out.end(), [&](const auto& e) { return e.first == letter; })) {
      throw ExpressionError(name.position,
                            std::string("index ") + letter + " is given a size twice", "keep one");
    }
    out.emplace_back(
        letter, size_of(trimmed({piece.text.substr(equals + 1), piece.position + equals + 1})));
  }
  return out;
}

std::vector<Shape> shapes_of(const std::string& text) {
  std::vector<Shape> out;
  for (const Piece& whole : pieces_of(text, ',')) {
    const Piece piece = trimmed(whole);
    Shape& shape = out.emplace_back();
    if (piece.text.empty() || piece.text == "scalar") continue;
    for (const Piece& size : pieces_of(std::string(piece.text), 'x', piece.position)) {
      if (shape.size() == kMostAxes) {
        throw ExpressionError(size.position, "an operand has 32 axes at most", "leave some out");
      }
      // The text of the piece is a copy's: take it from the whole.
      shape.push_back(size_of(trimmed(
          {std::string_view(text).substr(size.position, size.text.size()), size.position})));
    }
  }
  return out;
}

Mistake mistake_at(const std::string& place, const std::string& text,
                   const ExpressionError& error) {
  return {place, error.what(), error.remedy() + caret_below(text, error.position())};
}

}  // namespace

std::string caret_below(const std::string& text, std::size_t position) {
  std::size_t begin = 0;
  if (position > kShownBytes / 2) begin = position - kShownBytes / 2;
  // Not within a character.
  while (begin > 0 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) --begin;
  std::string before, after;
  if (position > begin) {
    before = (begin > 0 ? "..." : "") + printable(text.substr(begin, position - begin), 1000);
  }
  if (position < text.size()) after = printable(text.substr(position), kShownBytes);
  return "\n    " + before + after + "\n    " + std::string(display_width(before), ' ') + '^';
}

std::optional<Contraction> read_contraction(const ContractRequest& request,
                                            const std::string& place,
                                            std::vector<Mistake>& mistakes) {
  const std::string where = child_place(place, "expression");
  IndexExpression expression;
  try {
    expression = parse_index_expression(request.expression);
  } catch (const ExpressionError& error) {
    mistakes.push_back(mistake_at(where, request.expression, error));
    return std::nullopt;
  }
  const bool by_shapes = request.by_shapes;
  const std::string& text = by_shapes ? request.shapes : request.sizes;
  IndexSizes sizes;
  std::vector<Shape> shapes;
  try {
    if (by_shapes) {
      shapes = shapes_of(text);
    } else if (!text.empty()) {
      sizes = sizes_of(text, expression);
    }
  } catch (const ExpressionError& error) {
    mistakes.push_back(mistake_at(child_place(place, by_shapes ? "shapes" : "size"), text, error));
    return std::nullopt;
  }
  try {
    return by_shapes ? bind_shapes(expression, shapes) : bind_sizes(expression, sizes);
  } catch (const ExpressionError& error) {
    mistakes.push_back(mistake_at(where, request.expression, error));
    return std::nullopt;
  }
}

std::string sizes_text(const Contraction& contraction) {
  std::string out;
  for (const ContractionIndex& index : contraction.indices) {
    out += (out.empty() ? "" : " ") + index.name + '=' + std::to_string(index.size);
  }
  return out.empty() ? "none" : out;
}

std::string indices_text(const Contraction& contraction, const std::vector<int>& indices) {
  std::string out;
  for (const int index : indices) {
    out += index == Contraction::kShared
               ? "1"
               : contraction.indices[static_cast<std::size_t>(index)].name;
  }
  return out.empty() ? "scalar" : out;
}

}  // namespace attnlab
