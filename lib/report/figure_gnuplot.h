// A figure as a gnuplot script (gnuplot 5.4 or newer) and its data file.
// Colours are those of Okabe & Ito (Color Universal Design, 2008), which colour-blind people tell
// apart; no series differs by its colour alone: markers and dashes differ too.
#ifndef ATTNLAB_REPORT_FIGURE_GNUPLOT_H_
#define ATTNLAB_REPORT_FIGURE_GNUPLOT_H_

#include <string>
#include <string_view>

#include "report/figure.h"

namespace attnlab {

// What both files begin with: by it attnlab knows its own.
inline constexpr std::string_view kGnuplotFileStart = "# attnlab plot";

enum class FigureFormat { kSvg, kPng };

struct GnuplotOptions {
  FigureFormat format = FigureFormat::kSvg;
  int width = 800, height = 600;  // pixels
  // A heat map in an SVG as one picture, a tenth of the size; it is smoothed where the style of the
  // page around it does not say otherwise. Else each cell is a shape of its own.
  bool grids_as_images = false;
  // As the script names them: in the folder that gnuplot runs in.
  std::string data_file = "figure.dat", output_file = "figure.svg";
};

struct GnuplotFiles {
  std::string script, data;
};
GnuplotFiles gnuplot_files(const Figure& figure, const GnuplotOptions& options);

// A text as a gnuplot string in double quotes. What gnuplot would read as an escape, a command or a
// macro is written by its number (\140); control characters are left out. (Between single quotes a
// text that begins with a quote would be misread: gnuplot 5.4.)
std::string gnuplot_string(std::string_view text);
// The same for the label of a tick, which gnuplot takes for a format of numbers.
std::string gnuplot_tick(std::string_view text);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FIGURE_GNUPLOT_H_
