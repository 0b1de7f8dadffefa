#include "report/format.h"

#include "base/error.h"
#include "base/text.h"
#include "report/csv_text.h"
#include "report/result_schema.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

TEST_CASE("every format prints an empty and a full result", "[report]") {
  Result empty;
  empty.name = "empty";
  empty.status = Status::kComplete;
  empty.tables = {Table("t", "e", {{"x", "", ColumnKind::kExact}})};
  for (const Format& format : formats()) {
    INFO(format.name);
    CHECK(find_format(format.name) == &format);
    if (!format.extension.empty()) {
      CHECK(format.extension.starts_with('.'));
      CHECK(format_of_extension(format.extension) == &format);
    }
    if (!format.needs_times) format.print(empty, {});
    CHECK_FALSE(format.print(sample_result(), {}).empty());
  }
}

TEST_CASE("every format knows its own files, and no other's", "[report]") {
  const Result result = sample_result();
  for (const Format& format : formats()) {
    const std::string text = format.print(result, {});
    for (const Format& other : formats()) {
      INFO(format.name << " read as " << other.name);
      CHECK(other.is_ours(text, result) == (&other == &format));
    }
    INFO(format.name);
    CHECK_FALSE(format.is_ours("", result));
    CHECK_FALSE(format.is_ours("something else\n", result));
    CHECK_FALSE(format.is_ours("{\n  \"context\": {\"date\": \"2024\"}}", result));
    CHECK_FALSE(format.is_ours("[\n  {\"name\":\"theirs\"}]", result));
  }
}

TEST_CASE("a file's format: by its extension, or the one that is named and fits", "[report]") {
  const auto name_of_file = [](std::string_view extension, std::string_view name) {
    const Format* format = format_of_file(extension, name);
    return format == nullptr ? "" : std::string(format->name);
  };
  CHECK(name_of_file(".json", "table") == "json");
  CHECK(name_of_file(".json", "gbench") == "gbench");
  CHECK(name_of_file(".json", "bencher") == "bencher");
  CHECK(name_of_file(".json", "csv") == "json");
  CHECK(name_of_file(".csv", "gbench") == "csv");
  CHECK(name_of_file(".txt", "github") == "github");
  CHECK(name_of_file(".out", "gbench") == "gbench");
  CHECK(name_of_file(".out", "csv") == "csv");
  CHECK(name_of_file(".out", "table").empty());
}

TEST_CASE("CSV quotes what must be quoted", "[report]") {
  REQUIRE(table_csv(sample_result().tables[0]) ==
          "kernel,n,time,time_low,time_high,share,shape,exact,status,reason\r\n"
          "naive,64,0.00125,0.0012,0.0013,64,\"[1,12]\",true,ok,\r\n"
          "flash,1024,0.1,0.09,0.11,1e-07,,,ok,\r\n"
          "\"a,b \"\"c\"\"\n|d\",9223372036854775807,,,,,,,failed,no <such> & thing\r\n");
}

TEST_CASE("a line of JSON a row, with the table's name", "[report]") {
  const std::vector<std::string> lines = split(print_jsonl(sample_result(), {}), '\n');
  REQUIRE(lines.size() == 4);
  const Json first = Json::parse(lines[0]);
  REQUIRE(first["table"] == "times");
  REQUIRE(first["time_samples"] == Json::parse("[[0.00125,0.0012],[2.0]]"));
  Result clash;
  clash.tables = {Table("compare", "compare", {{"table", "", ColumnKind::kParameter}})};
  clash.tables[0].add_row().set("table", "times");
  REQUIRE(print_jsonl(clash, {}) == "{\"table\":\"compare\",\"row_table\":\"times\"}\n");
}

TEST_CASE("markdown keeps cells apart", "[report]") {
  const std::string text = print_markdown(sample_result(), {});
  INFO(text);
  CHECK(text.find("| kernel | n | time [ms] | share | shape | exact | status | reason |\n"
                  "| --- | ---: | ---: | ---: | --- | --- | --- | --- |\n"
                  "| naive | 64 | 1.250 ± 0.050 | 64.00 |") != std::string::npos);
  CHECK(text.find("a,b \"c\" \\|d") != std::string::npos);
  CHECK(text.find("no &lt;such> &amp; thing") != std::string::npos);
  CHECK(text.find("2 of 5 points") != std::string::npos);
}

TEST_CASE("JUnit counts expectations and failed rows", "[report]") {
  const std::string text = print_junit(sample_result(), {});
  INFO(text);
  CHECK(text.find("<testsuites name=\"sample\" tests=\"4\" failures=\"1\" errors=\"1\">") !=
        std::string::npos);
  CHECK(
      text.find("<testsuite name=\"times: Времена, &quot;quoted&quot;\" tests=\"4\" failures=\"1\" "
                "errors=\"1\" skipped=\"1\">") != std::string::npos);
  CHECK(text.find("name=\"n=64: share\"/>") != std::string::npos);
  CHECK(text.find("<failure type=\"expectation\" message=\"expected &gt;= 1, measured 1e-07: below "
                  "min\"/>") != std::string::npos);
  CHECK(text.find(
            "<error type=\"status\" message=\"the row failed: no &lt;such&gt; &amp; thing\"/>") !=
        std::string::npos);
}

TEST_CASE("JUnit holds every text as valid XML", "[report]") {
  Result result = sample_result();
  result.expectations = {{"times",
                          {{"n", "<a&b>"}},
                          "share",
                          1,
                          2,
                          Verdict::kFail,
                          "\x01\x1b\xFF\xEF\xBF\xBF\t\r\n\"\xC3\xA9"}};
  const std::string text = print_junit(result, {});
  INFO(text);
  CHECK(text.find("name=\"n=&lt;a&amp;b&gt;: share\"") != std::string::npos);
  CHECK(text.find(": \xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD&#9;&#13;&#10;&quot;"
                  "\xC3\xA9\"/>") != std::string::npos);
}

TEST_CASE("a table that does not exist is refused with the nearest", "[report]") {
  PrintOptions options;
  options.table = "tims";
  REQUIRE_THROWS_WITH(chosen_table(sample_result(), options),
                      Catch::Contains("did you mean times?"));
}

TEST_CASE("the schema of results knows every word that is written", "[report]") {
  const Json schema = result_schema();
  const Json& properties = schema["properties"];
  REQUIRE(properties["status"]["enum"] == Json({"complete", "interrupted", "failed"}));
  const Json column = properties["tables"]["items"]["properties"]["columns"]["items"]["properties"];
  REQUIRE(column["kind"]["enum"].size() == 5);
  REQUIRE(column["better"]["enum"].size() == 3);
}
