// The lesson's widget as a section of a page: controls, weights as a heat map, the four readouts.
// page/widget.js computes what `attnlab inspect --tokens` prints for the same seed.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_WIDGET_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_WIDGET_H_

#include "report/language.h"
#include "report/page.h"

namespace attnlab {

PageSection inspect_widget(Language language);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_WIDGET_H_
