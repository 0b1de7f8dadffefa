// The headings and sentences of a page, each in every language.
#ifndef ATTNLAB_REPORT_PAGE_TEXT_H_
#define ATTNLAB_REPORT_PAGE_TEXT_H_

#include <fmt/format.h>

#include <span>
#include <string>
#include <string_view>

#include "report/language.h"

namespace attnlab {

struct PageText {
  std::string_view key;
  LocalText text;  // with {} where a number or a name goes
};
std::span<const PageText> page_texts();

// The text under a key; an unknown key is our own mistake.
std::string_view page_text(Language language, std::string_view key);

// The same with its {} filled in, in their order.
template <class... Values>
std::string page_text(Language language, std::string_view key, const Values&... values) {
  return fmt::format(fmt::runtime(page_text(language, key)), values...);
}

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_PAGE_TEXT_H_
