#include "report/wrapped_text.h"

#include <algorithm>

#include "base/text.h"

namespace attnlab {
namespace {

// The bytes of the longest start of the text that takes at most `width` columns, at least one
// character.
std::size_t fitting_bytes(std::string_view text, std::size_t width) {
  std::size_t end = 0, used = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0) == 0x80) ++next;
    const std::size_t columns = display_width(text.substr(end, next - end));
    if (end > 0 && used + columns > width) break;
    used += columns;
    end = next;
  }
  return end;
}

}  // namespace

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  std::vector<std::string> lines{""};
  std::size_t used = 0;
  for (const std::string& piece : split(text, ' ')) {
    std::string_view word = piece;
    std::size_t columns = display_width(word);
    if (used > 0 && used + 1 + columns <= width) {
      lines.back() += ' ';
      ++used;
    } else if (used > 0) {
      lines.emplace_back();
      used = 0;
    }
    while (columns > width - std::min(width, used)) {
      const std::size_t bytes = fitting_bytes(word, width);
      if (bytes >= word.size()) break;
      lines.back() += word.substr(0, bytes);
      lines.emplace_back();
      word.remove_prefix(bytes);
      columns = display_width(word);
    }
    lines.back() += word;
    used += columns;
  }
  return lines;
}

std::string wrapped_beside(std::string_view first, std::string_view text, std::size_t width) {
  constexpr std::size_t kLeast = 16;
  const std::size_t indent = display_width(first);
  std::string out(first);
  bool is_first = true;
  for (const std::string& line :
       wrapped_lines(text, std::max(kLeast, width - std::min(width, indent)))) {
    if (!is_first) out.append(indent, ' ');
    is_first = false;
    out += line;
    out.erase(out.find_last_not_of(' ') + 1);
    out += '\n';
  }
  return out;
}

}  // namespace attnlab
