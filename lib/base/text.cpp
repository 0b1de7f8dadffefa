#include "base/text.h"

#include <fmt/format.h>
#include <utf8proc.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <numeric>
#include <utility>

namespace attnlab {
namespace {

char folded(char c) {
  return c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
}

// Levenshtein distance in which a swap of neighbours counts one (optimal string alignment).
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> two_above, above, row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    two_above = std::exchange(above, row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = folded(a[i - 1]) == folded(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && folded(a[i - 1]) == folded(b[j - 2]) &&
          folded(a[i - 2]) == folded(b[j - 1])) {
        row[j] = std::min(row[j], two_above[j - 2] + 1);
      }
    }
  }
  return row.back();
}

struct Character {
  std::int32_t point;  // -1: no UTF-8
  std::size_t bytes;   // at least 1
};

Character first_character(std::string_view text) {
  utf8proc_int32_t point = -1;
  const utf8proc_ssize_t used =
      utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                       static_cast<utf8proc_ssize_t>(text.size()), &point);
  return {point, static_cast<std::size_t>(std::max<utf8proc_ssize_t>(1, used))};
}

}  // namespace

std::string join(const std::vector<std::string>& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) {
    if (&word != &words.front()) out += separator;
    out += word;
  }
  return out;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> out;
  while (true) {
    const std::size_t end = text.find(separator);
    out.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return out;
    text.remove_prefix(end + 1);
  }
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  if (word.size() > 64) return "";  // no typing mistake, and the distance is quadratic
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string near = nearest(word, candidates);
  if (!near.empty()) return "did you mean " + near + "?";
  return "known: " + join(candidates, ", ");
}

std::string printable(std::string_view text, std::size_t most) {
  std::string out;
  while (!text.empty()) {
    const Character next = first_character(text);
    if (out.size() + next.bytes > most) return out + "...";
    if (next.point < 0) {
      out += '?';
    } else if (next.point < 0x20 || (next.point >= 0x7F && next.point < 0xA0)) {
      out += ' ';
    } else {
      out += text.substr(0, next.bytes);
    }
    text.remove_prefix(next.bytes);
  }
  return out;
}

// By what a reader sees as one character (UAX #29, grapheme clusters): the width of its widest
// part, two where it is asked to look as an emoji (U+FE0F) or is a flag, a pair of regional
// indicators.
std::size_t display_width(std::string_view text) {
  constexpr utf8proc_int32_t kEmojiLook = 0xFE0F, kFirstFlag = 0x1F1E6, kLastFlag = 0x1F1FF;
  std::size_t width = 0, of_cluster = 0;
  utf8proc_int32_t before = -1, state = 0;
  while (!text.empty()) {
    const Character next = first_character(text);
    const bool is_valid = next.point >= 0;
    const bool begins =
        before < 0 || !is_valid || utf8proc_grapheme_break_stateful(before, next.point, &state);
    if (begins) {
      width += of_cluster;
      of_cluster = 0;
      if (!is_valid || before < 0) state = 0;
    }
    const std::size_t own =
        is_valid ? static_cast<std::size_t>(std::max(0, utf8proc_charwidth(next.point))) : 1;
    const bool is_flag = !begins && next.point >= kFirstFlag && next.point <= kLastFlag;
    of_cluster = std::max(of_cluster, own);
    if (of_cluster > 0 && (is_flag || next.point == kEmojiLook)) of_cluster = 2;
    before = next.point;
    text.remove_prefix(next.bytes);
  }
  return width + of_cluster;
}

std::string rough_duration(double seconds) {
  if (seconds < 1) return "under 1 s";
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  const auto whole = static_cast<long long>(std::min(seconds, 1e15));
  if (seconds < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
}

}  // namespace attnlab
