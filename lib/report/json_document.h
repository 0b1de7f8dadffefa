// The result document (result.json), written again and again while a run goes on: every row is
// turned into text once, so that saving a long result costs little more than copying it.
#ifndef ATTNLAB_REPORT_JSON_DOCUMENT_H_
#define ATTNLAB_REPORT_JSON_DOCUMENT_H_

#include <string>
#include <vector>

#include "report/result.h"

namespace attnlab {

class JsonDocument {
 public:
  // The document as it stands, one row a line. Rows that were there at the last call must not have
  // changed since; rows and tables may have been added.
  std::string text(const Result& result);

 private:
  struct Rows {
    std::size_t count = 0;
    std::string text;
  };
  std::vector<Rows> tables_;
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_JSON_DOCUMENT_H_
