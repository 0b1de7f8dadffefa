// The JSON Schema (2020-12) of configs, from the declarations of the experiments' parameters.
#ifndef ATTNLAB_APP_CONFIG_SCHEMA_H_
#define ATTNLAB_APP_CONFIG_SCHEMA_H_

#include "base/json.h"

namespace attnlab {

Json config_schema();

}  // namespace attnlab

#endif  // ATTNLAB_APP_CONFIG_SCHEMA_H_
