// A page: results for people, as one HTML file that needs nothing else. On top what they come to in
// plain words, each statement a link to its place; then each experiment with its question, plots,
// tables and expectations, and the machine; last whatever sections the caller adds.
//
// What is special about an experiment (its question, its figures, what is surprising of its rows)
// comes from the caller; a page knows tables and expectations only. page_*.h are its pieces,
// page/ its style and scripts.
#ifndef ATTNLAB_REPORT_PAGE_H_
#define ATTNLAB_REPORT_PAGE_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/language.h"
#include "report/result.h"

namespace attnlab {

// By which a page is known to be attnlab's own.
inline constexpr std::string_view kPageMark =
    "<meta name=\"generator\" content=\"attnlab report\">";

struct PageFigure {
  std::string title;
  std::string svg;          // an <svg> element, with ids that occur once in the page (inline_svg.h)
  bool is_thinned = false;  // not all points are drawn: said below it
};

// Something worth telling on top, and where it stands.
struct PageFinding {
  std::string text;
  std::size_t table = 0;             // of the result
  std::optional<std::size_t> row{};  // of that table
};

struct PageExperiment {
  std::size_t first_table = 0, end_table = 0;  // of the result
  std::string question{};                      // in one sentence; "" for none
  std::string command{};                       // that repeats it; "" where it is not known
  std::vector<PageFigure> figures{};
  std::vector<std::string> detail_tables{};  // names of those that are closed at first
};

struct PageResult {
  Result result;
  std::string place;    // where it was read
  std::string command;  // that repeats it; "" where it is not known
  std::vector<PageExperiment> experiments;
  std::vector<PageFinding> surprises;
};

// A part of the page that shows no result.
struct PageSection {
  std::string id;
  std::string heading;
  std::string markup;
  std::string script;
};

struct Page {
  Language language = Language::kEnglish;
  std::string title;             // "": of the language
  bool lacks_plots = false;      // gnuplot was not there: said in the page
  std::size_t failed_plots = 0;  // that gnuplot did not draw: said in the page
  std::string plot_failure{};    // why not
  std::vector<PageResult> results;
  std::vector<PageSection> sections;
};

// The tables of a result by experiment: each begins with a table of the experiment's name.
std::vector<PageExperiment> experiments_of(const Result& result);

std::string page_html(const Page& page);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_H_
