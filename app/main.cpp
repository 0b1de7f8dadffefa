#include "app/cli.h"
#include "app/signals.h"

int main(int argc, char** argv) {
  attnlab::install_signal_handlers();
  return static_cast<int>(attnlab::run_command_line({argv + 1, argv + argc}));
}
