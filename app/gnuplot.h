// gnuplot, a program that may be there: figures are drawn by it, or left as its script and data.
#ifndef ATTNLAB_APP_GNUPLOT_H_
#define ATTNLAB_APP_GNUPLOT_H_

#include <string>

#include "report/figure_gnuplot.h"

namespace attnlab {

// The path of the program on PATH, "" where there is none.
std::string find_gnuplot();

// The bytes of the figure that the script draws into `output_file` from `data_file`, as named in
// `options`. It runs in a folder of its own, which is removed. "" when a signal asked to stop,
// RunError when it fails.
std::string draw(const std::string& gnuplot, const GnuplotFiles& files,
                 const GnuplotOptions& options);

}  // namespace attnlab

#endif  // ATTNLAB_APP_GNUPLOT_H_
