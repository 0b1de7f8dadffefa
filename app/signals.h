// Ctrl-C and SIGTERM ask the run to stop after what it is at; a second one ends it at once.
#ifndef ATTNLAB_APP_SIGNALS_H_
#define ATTNLAB_APP_SIGNALS_H_

namespace attnlab {

// Catches SIGINT and SIGTERM, and makes a closed pipe an error of write() instead of a signal.
void install_signal_handlers();

// The signal that came, or 0.
int stop_signal();

}  // namespace attnlab

#endif  // ATTNLAB_APP_SIGNALS_H_
