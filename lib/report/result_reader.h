// Reads a result document back (docs/results.md): for --resume, and for everything that works on
// results.
#ifndef ATTNLAB_REPORT_RESULT_READER_H_
#define ATTNLAB_REPORT_RESULT_READER_H_

#include <string>

#include "report/result.h"

namespace attnlab {

// Writing the result that is returned gives the bytes of the file again, if attnlab wrote it.
// UserError when the file cannot be read or is no result document.
Result read_result(const std::string& path);

// The same without the rows of a document that attnlab wrote, in a fraction of time and memory.
Result read_result_without_rows(const std::string& path);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_RESULT_READER_H_
