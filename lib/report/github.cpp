// Workflow commands of GitHub Actions: lines that its runner shows as annotations of the run.
// Failures and errors (findings.h) are errors, what was skipped or not decided are warnings, one
// notice counts all. GitHub's documentation, "Workflow commands for GitHub Actions".
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "report/findings.h"
#include "report/format.h"
#include "report/json_text.h"

namespace attnlab {
namespace {

constexpr std::size_t kMostOfAKind = 10;        // that GitHub shows of a step
constexpr std::size_t kMostMessage = 4000;      // bytes; the runner cuts at 4096 characters
constexpr std::size_t kMostTitle = 250;         // GitHub's limit is 255 characters
constexpr std::size_t kMostLeftOut = 20;        // names of what is not shown
constexpr std::string_view kOurs = "attnlab ";  // every title begins with it

struct Annotation {
  std::string title, message;
};

// Valid UTF-8 of at most that many bytes, no character cut in two.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

// The value of a property (which ends at a comma or colon), or the message after it.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : text) {
    const bool ends_property = c == ':' || c == ',';
    if (c == '%' || c == '\r' || c == '\n' || (is_property && ends_property)) {
      out += fmt::format("%{:02X}", static_cast<int>(c));
    } else {
      out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? ' ' : c;
    }
  }
  return out;
}

std::string command(std::string_view kind, const Annotation& one) {
  return fmt::format("::{} title={}::{}\n", kind,
                     escaped(shortened(std::string(kOurs) + one.title, kMostTitle), true),
                     escaped(shortened(one.message, kMostMessage), false));
}

// What GitHub would drop stands by name in the last one.
std::string commands(std::string_view kind, const std::vector<Annotation>& all) {
  const bool has_more = all.size() > kMostOfAKind;
  const std::size_t shown = has_more ? kMostOfAKind - 1 : all.size();
  std::string out;
  for (std::size_t i = 0; i < shown; ++i) out += command(kind, all[i]);
  if (!has_more) return out;
  std::vector<std::string> names;
  for (std::size_t i = shown; i < all.size() && names.size() < kMostLeftOut; ++i) {
    names.push_back(all[i].title);
  }
  if (all.size() - shown > names.size()) names.emplace_back("...");
  return out + command(kind, {fmt::format("{} more", all.size() - shown), join(names, "\n")});
}

// The findings of an outcome, the worst first, with their tables' names.
std::vector<Annotation> annotations(const std::vector<TableFindings>& all, Outcome outcome) {
  struct Ranked {
    double severity;
    Annotation annotation;
  };
  std::vector<Ranked> ranked;
  for (const TableFindings& of_table : all) {
    for (const Finding& finding : of_table.findings) {
      if (finding.outcome != outcome) continue;
      ranked.push_back({finding.severity,
                        {valid_text(of_table.table->name) + ": " + finding.name, finding.message}});
    }
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const Ranked& a, const Ranked& b) { return a.severity > b.severity; });
  std::vector<Annotation> out;
  out.reserve(ranked.size());
  for (Ranked& one : ranked) out.push_back(std::move(one.annotation));
  return out;
}

}  // namespace

std::string print_github(const Result& result, const PrintOptions&) {
  const std::vector<TableFindings> findings = findings_of(result);
  std::vector<Annotation> errors = annotations(findings, Outcome::kError);
  std::vector<Annotation> failures = annotations(findings, Outcome::kFailed);
  std::move(failures.begin(), failures.end(), std::back_inserter(errors));
  std::vector<Annotation> skipped = annotations(findings, Outcome::kSkipped);
  std::size_t passed = 0;
  for (const TableFindings& of_table : findings) {
    passed += count_of(of_table.findings, Outcome::kPassed);
  }
  const std::string name = valid_text(result.name);
  const std::string counts = fmt::format("{} failed, {} undecided or not checked, {} passed",
                                         errors.size(), skipped.size(), passed);
  if (result.status != Status::kComplete) {
    skipped.insert(skipped.begin(), {name, fmt::format("the result is {}: {} of {} points are done",
                                                       name_of(result.status), result.points.done,
                                                       result.points.total)});
  }
  return commands("error", errors) + commands("warning", skipped) +
         command("notice", {name, counts});
}

bool is_github(std::string_view start, const Result&) {
  return start.starts_with("::") && start.find(fmt::format(" title={}", kOurs)) < 10;
}

}  // namespace attnlab
