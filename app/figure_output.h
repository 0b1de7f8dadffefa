// A figure on its way out: drawn by gnuplot into the file that -o names, or, where gnuplot is not
// there, left beside it as script and data.
#ifndef ATTNLAB_APP_FIGURE_OUTPUT_H_
#define ATTNLAB_APP_FIGURE_OUTPUT_H_

#include <optional>
#include <string>

#include "app/exit_code.h"
#include "report/figure.h"
#include "report/figure_gnuplot.h"
#include "report/result.h"

namespace attnlab {

struct Pixels {
  int width, height;
};
// "800x600"; UserError otherwise.
Pixels pixels_of(const std::string& text);

// The size that a figure has where none is asked for.
Pixels usual_size(const Figure& figure);

// Of very many heat maps keeps the first few, which can still be seen; says so on stderr.
void leave_out_grids(Figure& figure);

// What a path's extension says: .svg or .png; none for any other.
std::optional<FigureFormat> figure_format_of(const std::string& path);

// The figure of the table of that name, or where it is "" of the first that has anything to show.
// UserError, with `place`, when there is none.
Figure chosen_figure(const Result& result, const std::string& place, const std::string& name);

// Writes the figure; `path` has the extension of a figure. UserError when a file that is not
// attnlab's would be replaced, unless forced.
ExitCode write_figure_file(Figure figure, const std::string& path,
                           const std::optional<Pixels>& pixels, bool force);

}  // namespace attnlab

#endif  // ATTNLAB_APP_FIGURE_OUTPUT_H_
