// `attnlab report RESULT... -o PAGE.html`: results as one page for people, that needs nothing else.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/command.h"
#include "app/own_file.h"
#include "app/report_page.h"
#include "app/signals.h"
#include "base/file.h"
#include "base/text.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

void check_output(const std::string& path) {
  if (path.empty()) throw UserError("--output", "names no page", "give it: -o report.html");
  const std::string extension = fs::path(path).extension().string();
  if (extension == ".html" || extension == ".htm") return;
  throw UserError("--output",
                  extension.empty() ? printable(path) + " has no extension"
                                    : "no page has the extension " + printable(extension),
                  "use .html");
}

// All results, or all that is wrong with any of them.
std::vector<PlacedResult> read_results(const std::vector<std::string>& places) {
  std::vector<PlacedResult> out;
  std::vector<Mistake> mistakes;
  std::vector<std::string> files;
  for (const std::string& place : places) {
    std::error_code error;
    const bool is_folder = fs::is_directory(place, error);
    const std::string file = is_folder ? (fs::path(place) / "result.json").string() : place;
    const auto same = std::find_if(files.begin(), files.end(), [&](const std::string& other) {
      return fs::equivalent(file, other, error);
    });
    if (same != files.end()) {
      mistakes.push_back({place, "is the same file as " + printable(*same), "name it once"});
      continue;
    }
    files.push_back(file);
    try {
      out.push_back({read_result(file), place});
    } catch (const UserError& wrong) {
      mistakes.insert(mistakes.end(), wrong.mistakes().begin(), wrong.mistakes().end());
    }
  }
  if (!mistakes.empty()) throw UserError(std::move(mistakes));
  return out;
}

class ReportCommand : public Command {
 public:
  ReportCommand()
      : Command({.name = "report",
                 .summary = "results as one HTML page that needs nothing else",
                 .positionals = {{.name = "RESULT", .repeated = true, .file = true}},
                 .examples = {"attnlab report results/lesson -o report.html",
                              "attnlab report results/lesson results/pet-project -o report.html "
                              "--lang ru --title 'Внимание на этой машине'"}}) {
    flags_.add("output", output_, "the page to write: PAGE.html").alias("o").file();
    flags_.add("lang", language_, "language of headings and explanations");
    flags_.add("title", title_, "title of the page").unset("attnlab: results");
    flags_.add("force", force_, "overwrite a file that is not attnlab's own");
  }

  std::vector<ParameterList*> parameters() override { return {&flags_}; }

  ExitCode run(const Arguments& arguments, const std::vector<std::string>&,
               std::vector<Mistake> mistakes) override {
    if (!mistakes.empty()) throw UserError(std::move(mistakes));
    check_output(output_);
    check_own_file(output_, force_, {kPageMark});
    const Page page =
        report_page(read_results(arguments.positionals), language_, title_.value_or(""));
    if (stop_signal() != 0) return code_of_signal(stop_signal());
    write_file(output_, {page_html(page)});
    if (page.lacks_plots) {
      fmt::print(stderr,
                 "attnlab: gnuplot is not on PATH (Debian: apt-get install gnuplot-nox), so {} has "
                 "no plots\n",
                 printable(output_, 500));
    }
    if (page.failed_plots > 0) {
      fmt::print(stderr, "attnlab: {} lacks {} plots: {}\n", printable(output_, 500),
                 page.failed_plots, page.plot_failure);
    }
    return ExitCode::kDone;
  }

 private:
  std::string output_;
  Language language_ = Language::kEnglish;
  std::optional<std::string> title_;
  bool force_ = false;
  ParameterList flags_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace attnlab
