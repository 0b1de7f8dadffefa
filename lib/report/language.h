// The languages of a page, and a text in each of them.
#ifndef ATTNLAB_REPORT_LANGUAGE_H_
#define ATTNLAB_REPORT_LANGUAGE_H_

#include <span>
#include <string_view>

namespace attnlab {

enum class Language { kEnglish, kRussian };
std::span<const std::string_view> choice_names(Language);  // en, ru

struct LocalText {
  std::string_view en, ru;
  constexpr std::string_view in(Language language) const {
    return language == Language::kRussian ? ru : en;
  }
};

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_LANGUAGE_H_
