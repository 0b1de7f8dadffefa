#include "machine/process.h"

#include <chrono>
#include <string>

#include "base/error.h"
#include "support/catch.h"

namespace attnlab {
namespace {

class Stopped : public Watch {
 public:
  bool stopped() const override { return true; }
};

const std::string kShell = "/bin/sh";

TEST_CASE("a process gives back what it prints and how it ended", "[machine]") {
  const Watch watch;
  const ProcessResult done = run_process(
      kShell, {"-c", "echo \"$GREETING\"; echo oops >&2; exit 7"}, {{"GREETING", "hello"}}, watch);
  CHECK(done.exit_code == 7);
  CHECK(done.output == "hello\n");
  CHECK(done.errors == "oops\n");
}

TEST_CASE("more than a pipe holds arrives whole on both streams", "[machine]") {
  const Watch watch;
  const ProcessResult done =
      run_process(kShell,
                  {"-c",
                   "head -c 300000 /dev/zero | tr '\\0' x; head -c 300000 /dev/zero "
                   "| tr '\\0' y >&2"},
                  {}, watch);
  CHECK(done.exit_code == 0);
  CHECK(done.output == std::string(300000, 'x'));
  CHECK(done.errors == std::string(300000, 'y'));
}

TEST_CASE("a process that should stop is told so", "[machine]") {
  const Stopped watch;
  const auto start = std::chrono::steady_clock::now();
  const ProcessResult done = run_process("/bin/sleep", {"60"}, {}, watch);
  CHECK(done.exit_code == 128 + 15);
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(20));
}

TEST_CASE("a program that is not there is an error", "[machine]") {
  const Watch watch;
  CHECK_THROWS_AS(run_process("/no/such/program", {}, {}, watch), RunError);
}

}  // namespace
}  // namespace attnlab
