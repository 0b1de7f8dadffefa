#include "base/file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "base/error.h"
#include "support/catch.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

struct TemporaryFolder {
  TemporaryFolder() {
    std::string pattern = (fs::temp_directory_path() / "attnlab-test-XXXXXX").string();
    REQUIRE(mkdtemp(pattern.data()) != nullptr);
    path = pattern;
  }
  ~TemporaryFolder() { fs::remove_all(path); }
  std::string operator/(const std::string& name) const { return (fs::path(path) / name).string(); }
  std::string path;
};

}  // namespace

TEST_CASE("a file is written whole and read back", "[base]") {
  const TemporaryFolder folder;
  const std::string big(300'000, 'x');
  write_file(folder / "a", {"one ", big, "\n"});
  CHECK(read_file(folder / "a", 1'000'000) == "one " + big + "\n");
  write_file(folder / "a", {"two"});
  CHECK(read_file(folder / "a", 10) == "two");
  CHECK(std::distance(fs::directory_iterator(folder.path), {}) == 1);  // no temporary file is left
}

TEST_CASE("a file keeps its permissions when it is replaced", "[base]") {
  const TemporaryFolder folder;
  write_file(folder / "a", {"one"});
  REQUIRE(chmod((folder / "a").c_str(), 0640) == 0);
  write_file(folder / "a", {"two"});
  struct stat status {};
  REQUIRE(stat((folder / "a").c_str(), &status) == 0);
  CHECK((status.st_mode & 07777) == 0640);
}

TEST_CASE("what cannot be read or written is told apart", "[base]") {
  const TemporaryFolder folder;
  CHECK_THROWS_AS(read_file(folder / "none", 10), UserError);
  CHECK_THROWS_AS(read_file(folder.path, 10), UserError);
  write_file(folder / "long", {"12345678901"});
  CHECK_THROWS_AS(read_file(folder / "long", 10), UserError);
  CHECK_THROWS_AS(write_file(folder / "none/a", {"x"}), RunError);
  CHECK_THROWS_AS(write_file(folder.path, {"x"}), RunError);
  CHECK_THROWS_AS(make_folder(folder / "long/sub"), RunError);
  make_folder(folder / "x/y/z");
  make_folder(folder / "x/y/z");
  CHECK(fs::is_directory(folder / "x/y/z"));
}

TEST_CASE("a full device is an error and leaves nothing behind", "[base]") {
  if (!fs::exists("/dev/full")) return;
  CHECK_THROWS_AS(write_file("/dev/full", {"x"}), RunError);
}

}  // namespace attnlab
