#include "report/page.h"

#include <algorithm>

#include "base/text.h"
#include "report/html_text.h"
#include "report/page_assets.h"
#include "report/page_expectations.h"
#include "report/page_findings.h"
#include "report/page_grid.h"
#include "report/page_ids.h"
#include "report/page_provenance.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

std::string command_html(const std::string& command) {
  return "<div class=\"command\">" + text_element("code", "", command) + "</div>\n";
}

class Writer {
 public:
  explicit Writer(const Page& page)
      : page_(page),
        language_(page.language),
        title_(page.title.empty() ? std::string(page_text(language_, "title")) : page.title),
        names_(shown_names(page)) {}

  std::string html() const {
    std::string out = head();
    out += "<header>\n" + text_element("h1", "", title_) + contents() + "</header>\n<main>\n";
    out += summary_html(page_);
    if (page_.lacks_plots) out += text_element("p", "note", page_text(language_, "no gnuplot"));
    if (page_.failed_plots > 0) {
      out += text_element(
          "p", "warn",
          page_text(language_, "failed plots", page_.failed_plots, page_.plot_failure));
    }
    for (std::size_t r = 0; r < page_.results.size(); ++r) out += result(r);
    for (const PageSection& one : page_.sections) out += section(one);
    out += "</main>\n" + text_element("footer", "", page_text(language_, "made by"));
    out += script_texts();
    for (const std::string_view script : {kPageScript, kPageTablesScript}) out += script_of(script);
    for (const PageSection& one : page_.sections) {
      if (!one.script.empty()) out += script_of(one.script);
    }
    return out + "</body>\n</html>\n";
  }

 private:
  std::string_view text(std::string_view key) const { return page_text(language_, key); }

  // Nothing may be loaded from anywhere, whatever a value says.
  std::string head() const {
    return fmt::format(
        "<!DOCTYPE html>\n<html lang=\"{}\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n{}\n"
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
        "'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
        "<link rel=\"icon\" href=\"data:,\">\n<title>{}</title>\n<style>\n{}</style>\n"
        "</head>\n<body>\n",
        choice_names(language_)[static_cast<std::size_t>(language_)], kPageMark, html_text(title_),
        kPageStyle);
  }

  std::string contents() const {
    std::string items;
    for (std::size_t r = 0; r < page_.results.size(); ++r) {
      items += markup_element("li", "", link_to(result_id(r), names_[r]));
    }
    for (const PageSection& one : page_.sections) {
      items += markup_element("li", "", link_to(one.id, one.heading));
    }
    std::string out = "<noscript>" + text_element("p", "note", text("no script")) + "</noscript>\n";
    return out +
           fmt::format("<nav aria-label=\"{}\"><ul>\n{}</ul></nav>\n", text("contents"), items);
  }

  std::string result(std::size_t r) const {
    const PageResult& one = page_.results[r];
    std::string out = fmt::format("<section id=\"{}\" class=\"result\">\n", result_id(r));
    out += text_element("h2", "", names_[r]);
    out += text_element("p", "muted", page_text(language_, "from file", one.place));
    if (one.result.status != Status::kComplete) {
      const char* key = one.result.status == Status::kInterrupted ? "interrupted" : "broken";
      out += text_element(
          "p", "warn",
          page_text(language_, key, names_[r], one.result.points.done, one.result.points.total));
    }
    out += expectations_html(one.result, expectations_without_table(one.result), "",
                             homeless_expectations_id(r), language_);
    for (std::size_t x = 0; x < one.experiments.size(); ++x) out += experiment(r, x);
    if (!one.command.empty()) {
      out += text_element("h3", "", text("repeat all")) + command_html(one.command);
    }
    return out + provenance_html(one.result.provenance, language_) + "</section>\n";
  }

  std::string experiment(std::size_t r, std::size_t x) const {
    const PageResult& one = page_.results[r];
    const PageExperiment& part = one.experiments[x];
    const Table& first = one.result.tables[part.first_table];
    std::string out = fmt::format("<article id=\"{}\">\n", experiment_id(r, x));
    out +=
        text_element("h3", "", first.title.empty() ? first.name : first.name + ": " + first.title);
    if (!part.question.empty()) out += text_element("p", "question", part.question);
    if (!part.figures.empty()) {
      out += "<div class=\"plots\">\n";
      for (const PageFigure& figure : part.figures) {
        out += fmt::format(
            "<figure class=\"plot\" role=\"group\" tabindex=\"0\" "
            "aria-label=\"{}\">\n{}</figure>\n",
            html_text(figure.title), figure.svg);
      }
      out += "</div>\n";
      if (std::any_of(part.figures.begin(), part.figures.end(),
                      [](const PageFigure& figure) { return figure.is_thinned; })) {
        out += text_element("p", "note", text("thinned"));
      }
    }
    out += expectations_html(one.result, expectations_of(one, part), first.name,
                             expectations_id(r, x), language_);
    for (std::size_t t = part.first_table; t < part.end_table; ++t) {
      const Table& table = one.result.tables[t];
      const bool is_detail = std::find(part.detail_tables.begin(), part.detail_tables.end(),
                                       table.name) != part.detail_tables.end();
      const bool is_open = t == part.first_table || (!is_detail && table.rows.size() <= kOpenRows);
      const std::string id = table_id(r, t);
      out += table_html(one.result, t, id, linked_rows(one, t, id), is_open, language_);
    }
    if (!part.command.empty()) {
      out += text_element("h4", "", text("repeat")) + command_html(part.command);
    }
    return out + "</article>\n";
  }

  std::string section(const PageSection& one) const {
    return fmt::format("<section id=\"{}\" class=\"result\">\n{}{}</section>\n", one.id,
                       text_element("h2", "", one.heading), one.markup);
  }

  // What the scripts say, under the names by which they ask for it.
  std::string script_texts() const {
    constexpr std::string_view kPrefix = "script ";
    Json texts = Json::object();
    for (const PageText& one : page_texts()) {
      if (one.key.starts_with(kPrefix)) {
        texts[std::string(one.key.substr(kPrefix.size()))] = one.text.in(language_);
      }
    }
    return "<script type=\"application/json\" id=\"texts\">" + script_json(texts) + "</script>\n";
  }

  static std::string script_of(std::string_view script) {
    return fmt::format("<script>\n{}</script>\n", script);
  }

  const Page& page_;
  const Language language_;
  const std::string title_;
  const std::vector<std::string> names_;  // of the results
};

}  // namespace

std::vector<PageExperiment> experiments_of(const Result& result) {
  std::vector<PageExperiment> out;
  for (std::size_t t = 0; t < result.tables.size(); ++t) {
    const Table& table = result.tables[t];
    const bool begins = out.empty() || table.base_name == table.experiment ||
                        table.experiment != result.tables[out.back().first_table].experiment;
    if (begins) out.push_back({.first_table = t});
    out.back().end_table = t + 1;
  }
  return out;
}

std::string page_html(const Page& page) { return Writer(page).html(); }

}  // namespace attnlab
