// Small helpers for text that people read.
#ifndef ATTNLAB_BASE_TEXT_H_
#define ATTNLAB_BASE_TEXT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// "a, b, c" for separator ", ".
std::string join(const std::vector<std::string>& words, std::string_view separator);

// The pieces of text between separators; an empty text is one empty piece.
std::vector<std::string> split(std::string_view text, char separator);

// The candidate that `word` is most likely a typing mistake of, or "" when none is near. Case and
// the difference between '-' and '_' count for nothing.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

// "unknown WHAT; did you mean X?" material: the remedy that names the nearest candidate, or all.
std::string suggest(std::string_view word, const std::vector<std::string>& candidates);

// The text as valid UTF-8 without control characters, shortened to at most `most` bytes (a cut is
// marked "..."): safe to show in a message.
std::string printable(std::string_view text, std::size_t most = 60);

// The number of terminal columns that a UTF-8 text takes: wide characters two, combining marks
// none.
std::size_t display_width(std::string_view text);

// "3 s", "2 min 5 s", "1 h 10 min"
std::string rough_duration(double seconds);

}  // namespace attnlab

#endif  // ATTNLAB_BASE_TEXT_H_
