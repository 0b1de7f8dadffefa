// Whole files: read with a cap, written whole or not at all.
#ifndef ATTNLAB_BASE_FILE_H_
#define ATTNLAB_BASE_FILE_H_

#include <cstddef>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

namespace attnlab {

// The bytes of a regular file (or a pipe). UserError when it is absent, a directory, not readable,
// or longer than `most` bytes.
std::string read_file(const std::string& path, std::size_t most);

// Replaces the file by the pieces of text, one after the other: they go to a temporary name beside
// it, which is then renamed, so that a reader sees the old or the new file and never a part.
// Keeps the permissions of a file that was there. RunError when that fails; nothing is left behind.
void write_file(const std::string& path, std::span<const std::string_view> pieces);
void write_file(const std::string& path, std::initializer_list<std::string_view> pieces);

// Makes the folder and its parents where they are absent. RunError when that fails.
void make_folder(const std::string& path);

}  // namespace attnlab

#endif  // ATTNLAB_BASE_FILE_H_
