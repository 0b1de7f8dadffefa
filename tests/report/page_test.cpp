#include "report/page.h"

#include <algorithm>
#include <regex>
#include <set>
#include <string>

#include "report/html_text.h"
#include "report/page_grid.h"
#include "report/page_text.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t out = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++out;
  }
  return out;
}

Page page_of(Result result) {
  Page page;
  PageResult& one = page.results.emplace_back();
  one.place = "results/sample";
  one.experiments = experiments_of(result);
  one.result = std::move(result);
  return page;
}

Result result_of_rows(std::size_t rows) {
  Table table(
      "t", "t",
      {{"n", "a count <of> \"things\"", ColumnKind::kParameter}, {"text", "", ColumnKind::kExact}});
  for (std::size_t i = 0; i < rows; ++i) {
    table.add_row().set("n", i).set("text", i == 0 ? "</script><!-- & <b>" : "plain");
  }
  Result out;
  out.name = "rows";
  out.status = Status::kComplete;
  out.tables = {std::move(table)};
  return out;
}

}  // namespace

TEST_CASE("text in HTML is escaped, and JSON in a script cannot end it", "[report]") {
  CHECK(html_text("a<b>&\"'") == "a&lt;b&gt;&amp;&quot;&#39;");
  CHECK(html_text("кот\x1b[1m\xff") == "кот [1m?");
  const std::string json = script_json({{"x", "</script><!--"}});
  CHECK(json.find('<') == std::string::npos);
  CHECK(Json::parse(json)["x"] == "</script><!--");
}

TEST_CASE("every text of a page is there in both languages with the same gaps", "[report]") {
  std::set<std::string_view> keys;
  for (const PageText& one : page_texts()) {
    INFO(one.key);
    CHECK(keys.insert(one.key).second);
    CHECK_FALSE(one.text.en.empty());
    CHECK_FALSE(one.text.ru.empty());
    CHECK(count_of(std::string(one.text.en), "{") == count_of(std::string(one.text.ru), "{"));
    for (const char* name : {"{from}", "{to}", "{count}"}) {
      CHECK(count_of(std::string(one.text.en), name) == count_of(std::string(one.text.ru), name));
    }
  }
}

TEST_CASE("tables belong to the experiment whose table came before them", "[report]") {
  const std::vector<Column> columns{{"x", "", ColumnKind::kExact}};
  Result result;
  for (const char* name : {"sweep", "fits", "sweep-2", "fits-2"}) {
    result.tables.emplace_back(name, "sweep", columns);
    result.tables.back().base_name = name_without_number(name);
  }
  result.tables.emplace_back("peaks", "cost", columns);
  const std::vector<PageExperiment> parts = experiments_of(result);
  REQUIRE(parts.size() == 3);
  CHECK((parts[0].first_table == 0 && parts[0].end_table == 2));
  CHECK((parts[1].first_table == 2 && parts[1].end_table == 4));
  CHECK((parts[2].first_table == 4 && parts[2].end_table == 5));
  CHECK(experiments_of(Result()).empty());
  CHECK(name_without_number("kv_cache") == "kv_cache");
  CHECK(name_without_number("a-") == "a-");
}

TEST_CASE("a page shows values as they are and says what is missing", "[report]") {
  const std::string html = page_html(page_of(sample_result()));
  CHECK(html.starts_with("<!DOCTYPE html>"));
  CHECK(html.find(std::string(kPageMark)) < 1000);
  CHECK(html.find("no &lt;such&gt; &amp; thing") != std::string::npos);
  CHECK(html.find("no <such>") == std::string::npos);
  CHECK(html.find("sample: interrupted, 2 of 5 points are there") != std::string::npos);
  CHECK(html.find("href=\"http") == std::string::npos);
  CHECK(html.find("src=") == std::string::npos);
}

TEST_CASE("what the summary links to is in the page, once", "[report]") {
  Page page = page_of(sample_result());
  page.results[0].surprises = {{"a surprise", 0, 1}, {"another", 1, std::nullopt}};
  for (const Language language : {Language::kEnglish, Language::kRussian}) {
    page.language = language;
    const std::string html = page_html(page);
    const std::regex link("href=\"#([^\"]*)\"");
    std::size_t links = 0;
    for (std::sregex_iterator at(html.begin(), html.end(), link), end; at != end; ++at, ++links) {
      INFO((*at)[1].str());
      CHECK(count_of(html, " id=\"" + (*at)[1].str() + "\"") == 1);
    }
    CHECK(links >= 5);
  }
}

TEST_CASE("of a long table the first rows stand in the page, all of them in its JSON", "[report]") {
  const std::string small = page_html(page_of(result_of_rows(kPlainRows)));
  CHECK(small.find("class=\"rows\"") == std::string::npos);
  CHECK(count_of(small, "<tr>") == kPlainRows + 1);
  const std::string large = page_html(page_of(result_of_rows(1234)));
  CHECK(count_of(large, "<tr>") == kPlainRows + 1);
  const std::size_t begin = large.find("class=\"rows\">") + std::string("class=\"rows\">").size();
  const Json rows = Json::parse(large.substr(begin, large.find("</script>", begin) - begin));
  REQUIRE(rows.size() == 1234);
  CHECK(rows[0] == Json({"0", "</script><!-- & <b>"}));
  CHECK(rows[1233] == Json({"1233", "plain"}));
  CHECK(large.find("the first 100 of 1234 rows") != std::string::npos);
  CHECK(page_html(page_of(result_of_rows(0))).find("No rows.") != std::string::npos);
}
