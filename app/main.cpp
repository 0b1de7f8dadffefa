#include "app/cli.h"
#include "app/signals.h"
#include "machine/blas_core.h"

int main(int argc, char** argv) {
  if (attnlab::uses_blas({argv + 1, argv + argc})) attnlab::correct_blas_core(argv);
  attnlab::install_signal_handlers();
  return static_cast<int>(attnlab::run_command_line({argv + 1, argv + argc}));
}
