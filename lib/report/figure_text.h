// A figure as text: panels one below the other, a letter a series, axes with units.
#ifndef ATTNLAB_REPORT_FIGURE_TEXT_H_
#define ATTNLAB_REPORT_FIGURE_TEXT_H_

#include <cstddef>
#include <string>

#include "report/figure.h"

namespace attnlab {

struct FigureTextOptions {
  std::size_t width = 80;   // columns, no line is longer
  std::size_t height = 18;  // lines of a panel's field
  bool unicode = true;      // false: ASCII only, whatever the titles hold
};

std::string figure_text(const Figure& figure, const FigureTextOptions& options);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_TEXT_H_
