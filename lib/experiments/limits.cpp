#include "experiments/limits.h"

#include <fmt/format.h>

#include "base/text.h"
#include "report/cell_text.h"

namespace attnlab {

std::pair<std::string, std::string> forecast(double bytes, double seconds, double allowed_bytes,
                                             double allowed_seconds) {
  if (bytes > allowed_bytes) {
    return {"refused", fmt::format("needs {} of memory, {} are allowed (--max-memory)",
                                   size_text(bytes), size_text(allowed_bytes))};
  }
  if (seconds > allowed_seconds) {
    return {"skipped", fmt::format("would take about {}, {} are allowed (--max-time)",
                                   rough_duration(seconds), rough_duration(allowed_seconds))};
  }
  return {"ok", ""};
}

}  // namespace attnlab
