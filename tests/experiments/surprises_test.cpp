#include "experiments/explanations.h"
#include "experiments/registry.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

constexpr ColumnKind kParameter = ColumnKind::kParameter;

Table entropy_table(double percentile, double gradient, double mean) {
  Table out("entropy", "entropy",
            {{"d", "", kParameter},
             {"keys", "", kParameter},
             {"scale", "", kParameter},
             {"temperature", "", kParameter},
             {"max_weight_percentile"},
             {"gradient_scale"},
             {"gradient_scale_mean"}});
  for (const char* scale : {"none", "sqrt"}) {
    const bool is_first = std::string_view(scale) == "none";
    out.add_row()
        .set("d", 64)
        .set("keys", 8)
        .set("scale", scale)
        .set("temperature", 1.0)
        .set("max_weight_percentile", is_first ? percentile : 50.0)
        .set("gradient_scale", is_first ? 0.2 : gradient)
        .set("gradient_scale_mean", is_first ? 0.1 : mean);
  }
  return out;
}

}  // namespace

TEST_CASE("every experiment has its question in both languages", "[experiments]") {
  for (const ExperimentInfo& info : experiments()) {
    INFO(info.name);
    for (const Language language : {Language::kEnglish, Language::kRussian}) {
      CHECK(question_of(info.name, language).find('?') != std::string_view::npos);
    }
  }
  CHECK(question_of("machine", Language::kEnglish).empty());
}

TEST_CASE("an atypical run and a gradient that turns are surprising", "[experiments]") {
  CHECK(surprises_of(entropy_table(50, 0.24, 0.2), Language::kEnglish).empty());
  const auto rare = surprises_of(entropy_table(6.8, 0.24, 0.2), Language::kEnglish);
  REQUIRE(rare.size() == 1);
  CHECK(rare[0].row == 0u);
  CHECK(rare[0].text.find("max_weight: 6.8 %") != std::string::npos);
  const auto turned = surprises_of(entropy_table(50, 0.15, 0.2), Language::kRussian);
  REQUIRE(turned.size() == 1);
  CHECK(turned[0].row == 1u);
  CHECK(turned[0].text.find("от масштаба none к sqrt") != std::string::npos);
}

TEST_CASE("claims that do not simply hold are surprising, in the claim's words", "[experiments]") {
  Table table("verify", "verify",
              {{"claim", "", kParameter}, {"verdict", "", ColumnKind::kDerived}, reason_column()});
  table.add_row().set("claim", "scale-off").set("verdict", "holds");
  table.add_row().set("claim", "no-such").set("verdict", "imprecise").set("reason", "why");
  table.add_row().set("claim", "scale-off").set("verdict", "does not hold");
  const auto found = surprises_of(table, Language::kEnglish);
  REQUIRE(found.size() == 2);
  CHECK(found[0].text == "“no-such”: imprecise (why)");
  CHECK(found[1].row == 2u);
  CHECK(found[1].text.find("scale-off") == std::string::npos);
}

TEST_CASE("a variance far from theory, saturated weights and doubtful fits are surprising",
          "[experiments]") {
  Table variance("variance", "variance", {{"d", "", kParameter}, {"z"}});
  variance.add_row().set("d", 4).set("z", 2.9);
  variance.add_row().set("d", 64).set("z", -3.1);
  REQUIRE(surprises_of(variance, Language::kEnglish).size() == 1);
  CHECK(surprises_of(variance, Language::kEnglish)[0].row == 1u);
  Table inspect("inspect", "inspect",
                {{"scale", "", kParameter}, {"head", "", kParameter}, {"flags"}});
  inspect.add_row().set("scale", "none").set("head", "all").set("flags", "saturated 1/1");
  inspect.add_row().set("scale", "none").set("head", 0).set("flags", "saturated, sink");
  const auto saturated = surprises_of(inspect, Language::kEnglish);
  REQUIRE(saturated.size() == 1);
  CHECK(saturated[0].text.find("scale=none head=0") != std::string::npos);
  Table fits("fits", "sweep", {{"kernel", "", kParameter}, {"preferred"}, {"warning"}});
  fits.add_row().set("kernel", "flash").set("preferred", false).set("warning", "curved");
  fits.add_row().set("kernel", "naive").set("preferred", true).set("warning", "curved");
  const auto doubtful = surprises_of(fits, Language::kEnglish);
  REQUIRE(doubtful.size() == 1);
  CHECK(doubtful[0].text == "the fit of naive is doubtful: curved");
}
