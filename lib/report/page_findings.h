// What a page tells on top: what was reproduced, what failed, what is surprising, what is missing;
// and which rows these statements link to.
#ifndef ATTNLAB_REPORT_PAGE_FINDINGS_H_
#define ATTNLAB_REPORT_PAGE_FINDINGS_H_

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "report/page.h"

namespace attnlab {

// What each result is called: its name, and its place too where several have that name.
std::vector<std::string> shown_names(const Page& page);

// Rows of a table that did not go as they should: failed, or regressed in a comparison. What table
// `changes` of a comparison says is no bad row of its table `compare` once more.
std::vector<std::size_t> bad_rows(const Result& result, std::size_t table);

// The ids of those rows of a table that the summary links to.
std::map<std::size_t, std::string> linked_rows(const PageResult& result, std::size_t table,
                                               const std::string& table_id);

std::string summary_html(const Page& page);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_FINDINGS_H_
