// Where two JSON documents differ.
#ifndef ATTNLAB_REPORT_DIFFERENCES_H_
#define ATTNLAB_REPORT_DIFFERENCES_H_

#include <string>
#include <vector>

#include "base/json.h"

namespace attnlab {

struct Difference {
  std::string place;          // a path below the place given
  Json old_value, new_value;  // null where a document does not have it

  std::string text() const;  // "was 1, is 2 now"
};

// Every difference, in the order of the new document and then of what only the old one has; arrays
// of different length are one difference.
std::vector<Difference> json_differences(const Json& old_value, const Json& new_value,
                                         const std::string& place);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_DIFFERENCES_H_
