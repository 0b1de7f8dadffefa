// Expectations: what a config says its tables must show, and whether they do.
//
//   "expect": [{"d": 4, "variance": "4.03"}, {"table": "fits", "kernel": "flash", "exponent":
//   {"min": 1.85}}]
//
// Parameter columns find the rows, the other columns are values to meet:
//   "1017.8"                      the measured value, printed with as many decimals
//   "2.48e-1"                     ... with as many significant digits
//   1536                          exactly for counts, else within 1e-12 relative
//   {"value": x, "abs": a}, {"value": x, "rel": r}, {"min": a, "max": b}
//   null, true, "text"            equal
#ifndef ATTNLAB_REPORT_EXPECTATION_H_
#define ATTNLAB_REPORT_EXPECTATION_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/json.h"
#include "report/result.h"
#include "report/table.h"

namespace attnlab {

// How the printed number "1017.8" or "2.48e-1" says a value is to be rounded.
struct PrintedNumber {
  bool exponent = false;
  int digits = 0;  // decimals; in exponent form, digits after the point of d.ddde-1
  std::string text;
  // The value rounded and written in this form.
  std::string print(double value) const;
};
std::optional<PrintedNumber> printed_number(std::string_view text);

// Checks the form of an `expect` list against the tables (of which the rows are not read).
void check_expectations(const Json& expect, const std::vector<Table>& tables,
                        const std::string& place, std::vector<Mistake>& mistakes);

// The verdict of every cell that a checked list speaks of. An item that finds no row fails.
std::vector<Expectation> evaluate_expectations(const Json& expect,
                                               const std::vector<Table>& tables);

// The same list with every verdict "not checked", for the reason given.
std::vector<Expectation> skipped_expectations(const Json& expect, const std::vector<Table>& tables,
                                              const std::string& reason);

// For people: an expected or measured value ("4.03", "82.3 ±0.3", ">= 1.85"), and the parameters
// that find a row ("d=4 law=normal").
std::string expected_text(const Json& value);
std::string selector_text(const Json& row);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_EXPECTATION_H_
