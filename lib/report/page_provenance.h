// Where a result of a page comes from: machine, build, config.
#ifndef ATTNLAB_REPORT_PAGE_PROVENANCE_H_
#define ATTNLAB_REPORT_PAGE_PROVENANCE_H_

#include <string>

#include "base/json.h"
#include "report/language.h"

namespace attnlab {

// What there is of it; a result of another program may have less.
std::string provenance_html(const Json& provenance, Language language);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_PROVENANCE_H_
