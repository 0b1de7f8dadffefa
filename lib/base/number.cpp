#include "base/number.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>

namespace attnlab {
namespace {

template <class T>
std::optional<T> from_whole_text(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

}  // namespace

std::optional<std::int64_t> integer_from_text(std::string_view text) {
  return from_whole_text<std::int64_t>(text);
}

std::optional<double> number_from_text(std::string_view text) {
  const auto value = from_whole_text<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string number_text(double value) {
  std::string out;
  append_number(out, value);
  return out;
}

void append_number(std::string& out, double value) {
  std::array<char, 32> text;  // the longest is "-2.2250738585072014e-308"
  char* const end = fmt::format_to(text.data(), FMT_COMPILE("{}"), value);
  out.append(text.data(), static_cast<std::size_t>(end - text.data()));
}

std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
}

}  // namespace attnlab
