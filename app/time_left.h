// How long a run will still take: the estimates of its points, corrected by what was measured.
// Estimates are right in proportion at best, and each experiment's are wrong by a factor of its
// own; so each has a rate (measured / estimated), in which what is long past counts little.
#ifndef ATTNLAB_APP_TIME_LEFT_H_
#define ATTNLAB_APP_TIME_LEFT_H_

#include <cstddef>
#include <optional>
#include <vector>

namespace attnlab {

class TimeLeft {
 public:
  // The estimated seconds of every point of every experiment.
  explicit TimeLeft(const std::vector<std::vector<double>>& estimates);

  // A point has taken so long. Points that are done already, and took nothing now, are `skipped`.
  void finished(std::size_t experiment, double estimate, double seconds);
  void skipped(std::size_t experiment, double estimate);

  // Seconds from now to the end, while a point of an experiment has been running for `elapsed`
  // seconds and says that it is done to `share` (0: it does not say). No value before anything is
  // known.
  std::optional<double> left(std::size_t experiment, double estimate, double share,
                             double elapsed) const;

 private:
  struct Sums {
    double measured = 0, estimated = 0;  // recent points
    double left = 0;                     // estimated, of what has not begun or finished
  };
  std::optional<double> rate_of(std::size_t experiment) const;

  std::vector<Sums> experiments_;
  Sums all_;
  double total_ = 0;  // seconds measured so far
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_TIME_LEFT_H_
