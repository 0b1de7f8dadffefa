#include "experiments/limits.h"

#include <fmt/format.h>

#include <new>

#include "base/error.h"
#include "base/text.h"
#include "report/cell_text.h"
#include "tensor/buffer.h"

namespace attnlab {

std::pair<std::string, std::string> forecast(double bytes, double seconds, double allowed_bytes,
                                             double allowed_seconds) {
  if (bytes > allowed_bytes) {
    return {"refused", fmt::format("needs {} of memory, {} are allowed (--max-memory)",
                                   size_text(bytes), size_text(allowed_bytes))};
  }
  if (seconds > allowed_seconds) {
    return {"skipped", fmt::format("would take about {}, {} are allowed (--max-time)",
                                   limit_duration(seconds), limit_duration(allowed_seconds))};
  }
  return {"ok", ""};
}

std::string limit_duration(double seconds) {
  if (seconds >= 59.5) return rough_duration(seconds);
  return seconds < 0.9995 ? fmt::format("{:.3g} ms", 1000 * seconds)
                          : fmt::format("{:.3g} s", seconds);
}

std::pair<std::string, std::string> outcome_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const std::bad_alloc&) {
    // The estimate was too low, or another process took the memory meanwhile.
    return {"refused", "the system had no memory left for it"};
  } catch (const OutOfMemory& error) {
    return {"refused", fmt::format("the system had no memory left for it ({})", error.what())};
  } catch (const UserError& error) {
    return {"failed", error.what()};
  } catch (const RunError& error) {
    return {"failed", error.what()};
  }
  return {"ok", ""};
}

}  // namespace attnlab
