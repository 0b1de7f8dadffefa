// A figure as gnuplot's svg terminal drew it, made fit for standing in an HTML page among others.
#ifndef ATTNLAB_REPORT_INLINE_SVG_H_
#define ATTNLAB_REPORT_INLINE_SVG_H_

#include <string>
#include <string_view>

namespace attnlab {

// The <svg> element alone: without the XML declaration, its own title and description, and the
// groups that draw nothing; every id and every reference to one begins with `prefix`. Texts within
// it stay as they are. `title` is what a screen reader tells.
std::string inline_svg(std::string_view svg, std::string_view prefix, std::string_view title);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_INLINE_SVG_H_
