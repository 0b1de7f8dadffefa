#include "machine/blas.h"

#include <sstream>

// Declared here: Debian puts OpenBLAS's own cblas.h in a folder that FindBLAS does not tell.
extern "C" {
char* openblas_get_config();
char* openblas_get_corename();
}

namespace attnlab {

BlasInfo blas_info() {
  BlasInfo out;
  out.config = openblas_get_config();
  out.config.erase(out.config.find_last_not_of(' ') + 1);
  std::istringstream words(out.config);  // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
  words >> out.name >> out.version;
  out.core = openblas_get_corename();
  return out;
}

}  // namespace attnlab
