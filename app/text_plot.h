// --plot: the figures of a run as text, below its tables.
#ifndef ATTNLAB_APP_TEXT_PLOT_H_
#define ATTNLAB_APP_TEXT_PLOT_H_

#include <string>

#include "app/options.h"
#include "app/plan.h"
#include "report/result.h"

namespace attnlab {

// UserError when the plan has nothing that --plot could draw, or the format no place for it.
void check_plot(const Plan& plan, const OutputFlags& flags);

// The figures of all tables that have one and that --table does not leave out, fitted to the
// terminal; ASCII only where the locale is not UTF-8 or the terminal is dumb.
std::string text_plots(const Result& result, const OutputFlags& flags);

}  // namespace attnlab

#endif  // ATTNLAB_APP_TEXT_PLOT_H_
