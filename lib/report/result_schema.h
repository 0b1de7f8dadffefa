// The JSON Schema (2020-12) of result documents.
#ifndef ATTNLAB_REPORT_RESULT_SCHEMA_H_
#define ATTNLAB_REPORT_RESULT_SCHEMA_H_

#include "base/json.h"

namespace attnlab {

Json result_schema();

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_RESULT_SCHEMA_H_
