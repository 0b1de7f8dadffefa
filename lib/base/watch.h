// How long work tells how far it is, and learns that it should stop.
#ifndef ATTNLAB_BASE_WATCH_H_
#define ATTNLAB_BASE_WATCH_H_

namespace attnlab {

// Long work takes a Watch&, calls progress() now and then from one thread, and gives up soon after
// stopped() turns true (its result is then meaningless). The base class watches nothing.
class Watch {
 public:
  virtual ~Watch() = default;
  virtual void progress(double /*share_done, 0..1*/) {}
  virtual bool stopped() const { return false; }  // may be asked from any thread
};

}  // namespace attnlab

#endif  // ATTNLAB_BASE_WATCH_H_
