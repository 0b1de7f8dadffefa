#include "app/exit_code.h"

#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <string>

#include "app/streams.h"
#include "base/error.h"

namespace attnlab {
namespace {

void print_error(const std::string& text, bool color) {
  fmt::print(stderr, "{}attnlab: error:{} {}\n", color ? "\x1b[1;31m" : "", color ? "\x1b[0m" : "",
             text);
}

}  // namespace

ExitCode code_of_signal(int signal) {
  return signal == SIGTERM ? ExitCode::kTerminated : ExitCode::kInterrupted;
}

ExitCode report_current_error(bool color) {
  try {
    throw;
  } catch (const UserError& error) {
    for (const Mistake& mistake : error.mistakes()) print_error(mistake.text(), color);
    return ExitCode::kBadInput;
  } catch (const ClosedPipe&) {
    return ExitCode::kDone;
  } catch (const RunError& error) {
    print_error(error.what(), color);
  } catch (const std::bad_alloc&) {
    print_error("out of memory; choose smaller sizes, or limit them with --max-memory", color);
  } catch (const std::exception& error) {
    print_error(error.what(), color);
  }
  return ExitCode::kRunFailed;
}

}  // namespace attnlab
