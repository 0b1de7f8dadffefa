// JUnit's XML, as continuous integration reads it: a suite a table, a test case a finding
// (findings.h). The dialect is the one that the Jenkins, GitLab and GitHub readers share:
// testsuites > testsuite > testcase > failure, error or skipped.
#include <fmt/format.h>

#include <array>

#include "report/findings.h"
#include "report/format.h"
#include "report/json_text.h"
#include "report/unique_names.h"

namespace attnlab {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

// Valid UTF-8 as the value of an attribute. What XML 1.0 cannot hold becomes U+FFFD: control
// characters, U+FFFE and U+FFFF.
std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view three = text.substr(i, 3);
    if (three == "\xEF\xBF\xBE" || three == "\xEF\xBF\xBF") {
      out += kReplacement;
      i += 2;
    } else if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else if (c == '"') {
      out += "&quot;";
    } else if (c == '\n' || c == '\r' || c == '\t') {
      out += fmt::format("&#{};", static_cast<int>(c));  // a reader would make it a blank
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += kReplacement;
    } else {
      out += c;
    }
  }
  return out;
}

// How many findings there are of each outcome, as attributes of their element.
struct Counts {
  std::array<std::size_t, 4> of{};

  void add(Outcome outcome) { ++of[static_cast<std::size_t>(outcome)]; }
  std::size_t operator[](Outcome outcome) const { return of[static_cast<std::size_t>(outcome)]; }
  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\"", of[0] + of[1] + of[2] + of[3],
                       (*this)[Outcome::kFailed], (*this)[Outcome::kError]);
  }
};

std::string test_case(const Finding& finding, const std::string& class_name) {
  std::string out =
      fmt::format("    <testcase classname=\"{}\" name=\"{}\"", class_name, escaped(finding.name));
  if (finding.outcome == Outcome::kPassed) return out + "/>\n";
  out += ">\n      ";
  if (finding.outcome == Outcome::kSkipped) {
    out += "<skipped";
  } else {
    out += fmt::format("<{} type=\"{}\"", finding.outcome == Outcome::kFailed ? "failure" : "error",
                       finding.source);
  }
  return out + fmt::format(" message=\"{}\"/>\n    </testcase>\n", escaped(finding.message));
}

}  // namespace

std::string print_junit(const Result& result, const PrintOptions&) {
  Counts all;
  UniqueNames names;
  std::string suites;
  for (const TableFindings& of_table : findings_of(result)) {
    const Table& table = *of_table.table;
    const std::string class_name = escaped(valid_text(table.name));
    Counts counts;
    std::string cases;
    for (const Finding& finding : of_table.findings) {
      counts.add(finding.outcome);
      all.add(finding.outcome);
      cases += test_case(finding, class_name);
    }
    const std::string name =
        names.make(valid_text(table.title.empty() ? table.name : table.name + ": " + table.title));
    suites += fmt::format("  <testsuite name=\"{}\" {} skipped=\"{}\">\n{}  </testsuite>\n",
                          escaped(name), counts.attributes(), counts[Outcome::kSkipped], cases);
  }
  const Json duration = result.provenance.value("duration", Json());
  const std::string time =
      duration.is_number() ? fmt::format(" time=\"{:.3f}\"", duration.get<double>()) : "";
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\" {}{}>\n{}"
      "</testsuites>\n",
      escaped(valid_text(result.name)), all.attributes(), time, suites);
}

bool is_junit(std::string_view start, const Result&) {
  return start.starts_with("<?xml") && start.find("<testsuites name=") < 100;
}

}  // namespace attnlab
