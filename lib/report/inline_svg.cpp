#include "report/inline_svg.h"

#include <fmt/format.h>

#include <vector>

#include "report/html_text.h"

namespace attnlab {
namespace {

// The pieces of the markup: tags ("<g ...>") and what stands between them, in turns.
std::vector<std::string_view> pieces_of(std::string_view markup) {
  std::vector<std::string_view> out;
  while (!markup.empty()) {
    const bool is_tag = markup.front() == '<';
    std::size_t end = markup.find(is_tag ? '>' : '<');
    if (end == std::string_view::npos) {
      end = markup.size();
    } else if (is_tag) {
      ++end;
    }
    out.push_back(markup.substr(0, end));
    markup.remove_prefix(end);
  }
  return out;
}

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n") == std::string_view::npos;
}

bool opens(std::string_view tag, std::string_view name) {
  if (!tag.starts_with("<") || tag.substr(1, name.size()) != name) return false;
  const std::string_view rest = tag.substr(1 + name.size());
  return rest.starts_with(" ") || rest.starts_with(">") || rest.starts_with("\n");
}

// Puts the prefix into a tag's ids and references.
std::string renamed(std::string_view tag, std::string_view prefix) {
  std::string out;
  for (std::size_t i = 0; i < tag.size();) {
    bool found = false;
    for (const std::string_view before : {" id='", " id=\"", "href='#", "href=\"#", "url(#"}) {
      if (tag.substr(i, before.size()) != before) continue;
      out.append(before).append(prefix);
      i += before.size();
      found = true;
      break;
    }
    if (!found) out += tag[i++];
  }
  return out;
}

}  // namespace

std::string inline_svg(std::string_view svg, std::string_view prefix, std::string_view title) {
  const std::size_t begin = svg.find("<svg");
  if (begin == std::string_view::npos) return "";
  const std::vector<std::string_view> pieces = pieces_of(svg.substr(begin));
  std::vector<std::string> kept;
  std::vector<std::size_t> blank_groups;  // places in `kept` of groups with nothing in them so far
  bool is_skipped = false;                // within a title or description
  for (const std::string_view piece : pieces) {
    if (opens(piece, "title") || opens(piece, "desc")) {
      is_skipped = true;
    } else if (piece == "</title>" || piece == "</desc>") {
      is_skipped = false;
    } else if (is_skipped || (is_blank(piece) && !kept.empty() && kept.back() == "\n")) {
      continue;
    } else if (is_blank(piece)) {
      kept.emplace_back("\n");
    } else if (piece == "</g>" && !blank_groups.empty()) {
      kept.resize(blank_groups.back());
      blank_groups.pop_back();
    } else {
      if (opens(piece, "g") && !piece.ends_with("/>")) {
        blank_groups.push_back(kept.size());
      } else {
        blank_groups.clear();
      }
      kept.push_back(piece.starts_with("<") ? renamed(piece, prefix) : std::string(piece));
    }
  }
  std::string out;
  for (const std::string& piece : kept) out += piece;
  out.insert(4, fmt::format(" role=\"img\" aria-label=\"{}\"", html_text(title)));
  return out;
}

}  // namespace attnlab
