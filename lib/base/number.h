// Numbers and text, whatever the locale; products that must not overflow.
#ifndef ATTNLAB_BASE_NUMBER_H_
#define ATTNLAB_BASE_NUMBER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace attnlab {

// The number that the whole text is ("40000", "-3"); no value otherwise.
std::optional<std::int64_t> integer_from_text(std::string_view text);
// The same for a real number ("1e6", ".5"); infinities and NaN are no value.
std::optional<double> number_from_text(std::string_view text);

// The shortest text that reads back as the same number: "0.1", "64", "1e+30".
std::string number_text(double value);
void append_number(std::string& out, double value);

// a * b, a + b; no value when that does not fit 64 bits.
std::optional<std::int64_t> checked_product(std::int64_t a, std::int64_t b);
std::optional<std::int64_t> checked_sum(std::int64_t a, std::int64_t b);

}  // namespace attnlab

#endif  // ATTNLAB_BASE_NUMBER_H_
