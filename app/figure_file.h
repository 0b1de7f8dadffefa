// Figures as files: the mark that tells that attnlab made one, and whether a file has it.
#ifndef ATTNLAB_APP_FIGURE_FILE_H_
#define ATTNLAB_APP_FIGURE_FILE_H_

#include <string>
#include <string_view>

#include "report/figure_gnuplot.h"

namespace attnlab {

// A figure as gnuplot drew it, with attnlab's mark: an SVG gets the figure's title and description
// (which screen readers tell), a PNG a text chunk.
std::string marked_figure(std::string bytes, FigureFormat format, std::string_view title);

// UserError when there is a file of that name without the mark, or a folder.
void check_replaceable(const std::string& path, bool force);

}  // namespace attnlab

#endif  // ATTNLAB_APP_FIGURE_FILE_H_
