// The expectations of a result in its page: those of each experiment, and those of tables that the
// result does not have.
#ifndef ATTNLAB_REPORT_PAGE_EXPECTATIONS_H_
#define ATTNLAB_REPORT_PAGE_EXPECTATIONS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "report/language.h"
#include "report/page.h"

namespace attnlab {

// The expectations of an experiment's tables, by their place in the result's list.
std::vector<std::size_t> expectations_of(const PageResult& result,
                                         const PageExperiment& experiment);

// Those whose table is not in the document.
std::vector<std::size_t> expectations_without_table(const Result& result);

// An expected or measured value in the words of a language.
std::string local_value(const Json& value, Language language);

// Those of `chosen` as a grid under `id`, "" where there are none. Rows of a table other than
// `first_table` begin with its name.
std::string expectations_html(const Result& result, const std::vector<std::size_t>& chosen,
                              const std::string& first_table, const std::string& id,
                              Language language);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_EXPECTATIONS_H_
