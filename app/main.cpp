#include "app/cli.h"
#include "app/signals.h"
#include "machine/amx.h"
#include "machine/blas_core.h"

int main(int argc, char** argv) {
  if (attnlab::uses_blas({argv + 1, argv + argc})) attnlab::correct_blas_core(argv);
  attnlab::may_use_amx();  // asked for before threads start
  attnlab::install_signal_handlers();
  return static_cast<int>(attnlab::run_command_line({argv + 1, argv + argc}));
}
