#include "report/page_provenance.h"

#include <fmt/format.h>

#include <vector>

#include "base/number.h"
#include "base/text.h"
#include "report/cell_text.h"
#include "report/html_text.h"
#include "report/json_text.h"
#include "report/page_text.h"

namespace attnlab {
namespace {

// The member as text; "" where it is absent or null.
std::string text_of(const Json& object, const char* key) {
  if (!object.is_object() || !object.contains(key) || object[key].is_null()) return "";
  const Json& value = object[key];
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? number_text(value.get<double>()) : plain_json(value);
}

std::string joined(const std::vector<std::string>& words, std::string_view separator) {
  std::vector<std::string> there;
  for (const std::string& word : words) {
    if (!word.empty()) there.push_back(word);
  }
  return join(there, separator);
}

std::string number_of(const Json& object, const char* key, std::string (*print)(double)) {
  const bool is_there = object.is_object() && object.contains(key) && object[key].is_number();
  return is_there ? print(object[key].get<double>()) : "";
}

std::string time_text(double seconds) {
  return seconds < 1 ? fmt::format("{:.2g} s", seconds) : rough_duration(seconds);
}

}  // namespace

std::string provenance_html(const Json& provenance, Language language) {
  const auto text = [&](const char* key) { return text_of(provenance, key); };
  const Json blas = provenance.is_object() ? provenance.value("blas", Json()) : Json();
  const std::vector<std::pair<std::string_view, std::string>> facts = {
      {"processor", text("cpu")},
      {"threads", text("threads")},
      {"simd", text("simd_target")},
      {"memory", number_of(provenance, "memory_bytes", size_text)},
      {"governor", text("governor")},
      {"load", text("load")},
      {"blas",
       joined({text_of(blas, "name"), text_of(blas, "version"), text_of(blas, "core")}, ", ")},
      {"kernel", text("kernel")},
      {"version", joined({text("version"), text("commit")}, ", ")},
      {"compiler", joined({text("compiler"), text("build_type")}, ", ")},
      {"flags", text("flags")},
      {"start", text("start")},
      {"duration", number_of(provenance, "duration", time_text)},
  };
  std::string entries;
  for (const auto& [key, value] : facts) {
    if (value.empty()) continue;
    entries += text_element("dt", "", page_text(language, key));
    entries += text_element("dd", "", value);
  }
  if (entries.empty()) return "";
  return "<details class=\"print\">\n" +
         markup_element("summary", "", text_element("h4", "", page_text(language, "machine"))) +
         "<dl>\n" + entries + "</dl>\n</details>\n";
}

}  // namespace attnlab
