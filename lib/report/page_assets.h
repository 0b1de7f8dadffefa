// The style and the scripts of a page: the files of page/, put into the program by CMake.
#ifndef ATTNLAB_REPORT_PAGE_ASSETS_H_
#define ATTNLAB_REPORT_PAGE_ASSETS_H_

#include <string_view>

namespace attnlab {

extern const std::string_view kPageStyle;         // page/page.css
extern const std::string_view kPageScript;        // page/page.js
extern const std::string_view kPageTablesScript;  // page/tables.js

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_ASSETS_H_
