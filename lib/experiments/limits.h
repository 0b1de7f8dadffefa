// What the limits on memory and time say of a point or of a part of one, before it runs; and what
// becomes of one that the system had no memory for or that failed.
#ifndef ATTNLAB_EXPERIMENTS_LIMITS_H_
#define ATTNLAB_EXPERIMENTS_LIMITS_H_

#include <functional>
#include <string>
#include <utility>

namespace attnlab {

// The status that it would have by its estimates ("ok", "refused", "skipped"), and why.
std::pair<std::string, std::string> forecast(double bytes, double seconds, double allowed_bytes,
                                             double allowed_seconds);

// "250 ms", "1.5 s", "2 min 5 s": with three digits below a minute, so that what passes a limit is
// told from it.
std::string limit_duration(double seconds);

// Runs it; the status that its errors give the row ("ok", "refused" without memory, "failed"), and
// why.
std::pair<std::string, std::string> outcome_of(const std::function<void()>& body);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_LIMITS_H_
