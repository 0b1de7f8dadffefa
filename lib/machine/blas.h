// The BLAS library as it presents itself.
#ifndef ATTNLAB_MACHINE_BLAS_H_
#define ATTNLAB_MACHINE_BLAS_H_

#include <string>

namespace attnlab {

struct BlasInfo {
  std::string name;     // "OpenBLAS"
  std::string version;  // "0.3.21"
  std::string config;   // its own build description
  std::string core;     // the kernels it chose for this processor
};

BlasInfo blas_info();

}  // namespace attnlab

#endif  // ATTNLAB_MACHINE_BLAS_H_
