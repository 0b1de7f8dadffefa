// What the limits on memory and time say of a point, or of a part of one.
#ifndef ATTNLAB_EXPERIMENTS_LIMITS_H_
#define ATTNLAB_EXPERIMENTS_LIMITS_H_

#include <string>
#include <utility>

namespace attnlab {

// The status that it would have by its estimates ("ok", "refused", "skipped"), and why.
std::pair<std::string, std::string> forecast(double bytes, double seconds, double allowed_bytes,
                                             double allowed_seconds);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_LIMITS_H_
