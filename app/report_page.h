// The page of some results: what is special about each experiment is put together with its tables,
// and its figures are drawn.
#ifndef ATTNLAB_APP_REPORT_PAGE_H_
#define ATTNLAB_APP_REPORT_PAGE_H_

#include <string>
#include <vector>

#include "report/language.h"
#include "report/page.h"
#include "report/result.h"

namespace attnlab {

struct PlacedResult {
  Result result;
  std::string place;  // as the user named it
};

// Without gnuplot, or where it fails, the page says that it lacks plots. A signal that asks to stop
// leaves it unfinished.
Page report_page(std::vector<PlacedResult> results, Language language, std::string title);

}  // namespace attnlab

#endif  // ATTNLAB_APP_REPORT_PAGE_H_
