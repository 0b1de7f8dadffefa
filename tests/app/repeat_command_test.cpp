#include "app/repeat_command.h"

#include <vector>

#include "experiments/registry.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

std::string repeated(const Json& experiment) {
  std::vector<Mistake> mistakes;
  const Plan plan = read_plan({{"name", "test"}, {"experiments", {experiment}}}, "test", mistakes);
  REQUIRE(mistakes.empty());
  return repeat_command(plan.experiments[0]);
}

}  // namespace

TEST_CASE("what a shell would read otherwise is quoted", "[app]") {
  const std::vector<std::string> words{"attnlab", "--d=4,64", "", "a b", "it's", "$(x)", "кот"};
  CHECK(shell_line(words) == "attnlab --d=4,64 '' 'a b' 'it'\\''s' '$(x)' 'кот'");
}

TEST_CASE("a command has a flag for what is not at its default", "[app]") {
  CHECK(repeated({{"experiment", "variance"}}) == "attnlab variance");
  CHECK(
      repeated({{"experiment", "variance"}, {"d", {4, 64, 1024}}, {"title", "x"}, {"seed", 11}}) ==
      "attnlab variance --seed 11");
  CHECK(
      repeated({{"experiment", "variance"}, {"d", "16:64:x2"}, {"tied", true}, {"mean_q", -0.5}}) ==
      "attnlab variance --d 16,32,64 --mean-q=-0.5 --tied");
  CHECK(repeated({{"experiment", "inspect"}, {"tokens", "it's so"}, {"scale", "none"}}) ==
        "attnlab inspect --tokens 'it'\\''s so' --scale none");
}

TEST_CASE("every experiment at its defaults is repeated by its name", "[app]") {
  for (const ExperimentInfo& info : experiments()) {
    CHECK(repeat_command(plan_experiment(info, "test")) == "attnlab " + std::string(info.name));
  }
}
