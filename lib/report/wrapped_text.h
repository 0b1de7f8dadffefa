// Text broken into lines by the columns that it takes on a terminal.
#ifndef ATTNLAB_REPORT_WRAPPED_TEXT_H_
#define ATTNLAB_REPORT_WRAPPED_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// Lines of at most `width` columns, broken at blanks; a word that is longer is cut. At least one
// line.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width);

// `first` and the text beside it: all lines after the first begin with as many blanks. Every line
// ends with a newline and takes at most `width` columns.
std::string wrapped_beside(std::string_view first, std::string_view text, std::size_t width);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_WRAPPED_TEXT_H_
