#include "report/result_reader.h"

#include <unistd.h>

#include <filesystem>

#include "base/error.h"
#include "base/file.h"
#include "report/format.h"
#include "report/json_document.h"
#include "sample.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

class File {
 public:
  explicit File(const std::string& text)
      : path_((std::filesystem::temp_directory_path() /
               ("attnlab-reader-" + std::to_string(::getpid()) + ".json"))
                  .string()) {
    write_file(path_, {text});
  }
  ~File() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

TEST_CASE("a result that is read and written again has the same bytes", "[report]") {
  const std::string text = print_json(sample_result(), {});
  const File file(text);
  const Result read = read_result(file.path());
  REQUIRE(print_json(read, {}) == text);
  REQUIRE(read.tables[0].columns[2].interval_high == "time_high");
  REQUIRE(read.tables[0].columns[5].tolerance.of == "n");
  REQUIRE(read.tables[0].rows[0].time_samples.size() == 2);
  REQUIRE(std::holds_alternative<double>(read.tables[0].rows[0].cells[5]));

  const Result heads = read_result_without_rows(file.path());
  REQUIRE(heads.tables.size() == 2);
  REQUIRE(heads.tables[0].rows.empty());
  REQUIRE(heads.tables[0].columns.size() == read.tables[0].columns.size());
}

TEST_CASE("a document that was laid out anew is read too", "[report]") {
  const std::string text = print_json(sample_result(), {});
  const File file(Json::parse(text).dump(6));
  REQUIRE(print_json(read_result(file.path()), {}) == text);
  REQUIRE(read_result_without_rows(file.path()).tables[0].columns.size() == 10);
}

TEST_CASE("what is no result is refused by name", "[report]") {
  for (const char* text : {"", "{}", "[1]", "{\"schema\": \"attnlab-result/2\"}", "nonsense"}) {
    const File file(text);
    REQUIRE_THROWS_AS(read_result(file.path()), UserError);
    REQUIRE_THROWS_AS(read_result_without_rows(file.path()), UserError);
  }
  Json broken = Json::parse(print_json(sample_result(), {}));
  broken["tables"][0]["rows"][0].erase("n");
  const File file(broken.dump());
  REQUIRE_THROWS_WITH(read_result(file.path()), Catch::Contains("is no attnlab-result/1 document"));
}

TEST_CASE("a document that grows row by row is the one that is written at once", "[report]") {
  const Result whole = sample_result();
  Result growing = whole;
  growing.tables[0].rows.clear();
  JsonDocument document;
  for (const Row& row : whole.tables[0].rows) {
    document.add_rows(growing);
    growing.tables[0].rows.push_back(row);
  }
  const auto text_of = [](const JsonDocument& from) {
    std::string out;
    for (const std::string_view piece : from.pieces()) out += piece;
    return out;
  };
  document.add_rows(growing);
  document.set_provenance(growing);
  document.set_head(growing);
  REQUIRE(text_of(document) == print_json(whole, {}));

  growing.tables[0].rows[0].cells[1] = std::int64_t{65};
  document.forget_rows(0);
  document.add_rows(growing);
  document.set_head(growing);
  REQUIRE(text_of(document) == print_json(growing, {}));
}
