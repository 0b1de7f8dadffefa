#include "report/html_text.h"

#include <fmt/format.h>

#include <limits>

#include "base/text.h"
#include "report/json_text.h"

namespace attnlab {
namespace {

bool is_plain(char letter) {
  const auto byte = static_cast<unsigned char>(letter);
  return byte >= 0x20 && byte < 0x7F;
}

// As UTF-8 without control characters; most texts are already.
std::string clean(std::string_view text) {
  for (const char letter : text) {
    if (!is_plain(letter)) return printable(text, std::numeric_limits<std::size_t>::max());
  }
  return std::string(text);
}

std::string tag(std::string_view name, std::string_view class_name) {
  return class_name.empty() ? fmt::format("<{}>", name)
                            : fmt::format("<{} class=\"{}\">", name, class_name);
}

}  // namespace

std::string html_text(std::string_view text) {
  std::string out;
  for (const char letter : clean(text)) {
    switch (letter) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += letter;
    }
  }
  return out;
}

std::string script_json(const Json& value) {
  std::string out;
  for (const char letter : plain_json(value)) {
    if (letter == '<') {
      out += "\\u003c";
    } else {
      out += letter;
    }
  }
  return out;
}

std::string text_element(std::string_view name, std::string_view class_name,
                         std::string_view text) {
  return markup_element(name, class_name, html_text(text));
}

std::string markup_element(std::string_view name, std::string_view class_name,
                           std::string_view markup) {
  return fmt::format("{}{}</{}>\n", tag(name, class_name), markup, name);
}

std::string link_to(std::string_view id, std::string_view text) {
  return fmt::format("<a href=\"#{}\">{}</a>", id, html_text(text));
}

}  // namespace attnlab
