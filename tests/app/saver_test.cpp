#include "app/saver.h"

#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "report/result_reader.h"
#include "support/catch.h"

using namespace attnlab;

namespace {

namespace fs = std::filesystem;

struct Folder {
  fs::path path = fs::temp_directory_path() / ("attnlab-saver-" + std::to_string(::getpid()));
  Folder() { fs::remove_all(path); }
  ~Folder() { fs::remove_all(path); }
};

Result one_table() {
  Result out;
  out.name = "test";
  out.tables = {Table("t", "e", {{"x", "", ColumnKind::kParameter}})};
  out.points.total = 1000;
  return out;
}

PointRows row_of(std::int64_t x) {
  return {0, {{Row{{Cell(x)}, {}}}}, {{"note " + std::to_string(x % 3)}}};
}

}  // namespace

TEST_CASE("rows arrive in their order, with a folder and without", "[app]") {
  const Folder folder;
  for (const std::string& path : {std::string(), folder.path.string()}) {
    Result result = one_table();
    Output output(path, false);
    output.open(result);
    Saver saver(output, result);
    for (std::int64_t x = 0; x < 1000; ++x) saver.add(row_of(x));
    const auto held = saver.take();
    REQUIRE(result.points.done == 1000);
    REQUIRE(result.tables[0].rows.size() == 1000);
    for (std::int64_t x = 0; x < 1000; ++x) {
      REQUIRE(result.tables[0].rows[static_cast<std::size_t>(x)].cells[0] == Cell(x));
    }
    REQUIRE(result.tables[0].notes.size() == 3);
  }
}

TEST_CASE("what is done is on disk a quarter of a second later", "[app]") {
  const Folder folder;
  Result result = one_table();
  Output output(folder.path.string(), false);
  output.open(result);
  Saver saver(output, result);
  const auto saved = [&] { return read_result(output.result_path()).tables[0].rows.size(); };
  REQUIRE(saved() == 0);
  for (std::size_t done = 1; done <= 3; ++done) {
    saver.add(row_of(static_cast<std::int64_t>(done)));
    // The machine may be busy: it is looked for twenty times as long, and must be there in the end.
    for (int i = 0; i < 100 && saved() < done; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    REQUIRE(saved() == done);
  }
  auto held = saver.take();
  result.tables[0].rows[0].cells[0] = std::int64_t{7};  // as finish() of an experiment may
  output.forget_rows(0);
  saver.give_back(std::move(held));
  for (int i = 0; i < 100; ++i) {
    if (read_result(output.result_path()).tables[0].rows[0].cells[0] == Cell(std::int64_t{7}))
      break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  REQUIRE(read_result(output.result_path()).tables[0].rows[0].cells[0] == Cell(std::int64_t{7}));
  REQUIRE(read_result(output.result_path()).status == Status::kInterrupted);
}
