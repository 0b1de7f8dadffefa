#include "app/version.h"

#include <fmt/format.h>

#include <vector>

#include "app/build_info.h"
#include "base/text.h"
#include "machine/blas.h"
#include "machine/isa.h"

namespace attnlab {

std::string version_text() {
  const BuildInfo build = build_info();
  const BlasInfo blas = blas_info();
  std::vector<std::string> isas;
  for (const Isa isa : simd_isas()) isas.emplace_back(isa_name(isa));
  return fmt::format(
      "attnlab {}\ncommit    {}\ncompiler  {}\nbuild     {}\nflags     {}\n"
      "BLAS      {} {} (core {})\nSIMD      {}\n",
      build.version, build.commit, build.compiler, build.build_type, build.flags, blas.name,
      blas.version, blas.core, join(isas, ", "));
}

}  // namespace attnlab
