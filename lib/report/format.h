// The output formats. A new one is a file with a print function and its mark, declared here and
// listed in format.cpp.
#ifndef ATTNLAB_REPORT_FORMAT_H_
#define ATTNLAB_REPORT_FORMAT_H_

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/result.h"

namespace attnlab {

struct PrintOptions {
  std::size_t width = 80;  // columns of the terminal
  bool color = false;
  std::string table{};  // the table asked for; "" for the format's own choice
};

struct Format {
  std::string_view name;       // as in --format
  std::string_view extension;  // of a file that holds it, with the point; "": none of its own
  std::string_view summary;
  // The whole text of a result. UserError when it has no such table, or nothing to print.
  std::string (*print)(const Result& result, const PrintOptions& options);
  // Whether a file that begins so was written by attnlab in this format, for such a result.
  bool (*is_ours)(std::string_view start, const Result& result);
  std::string_view guest_extension{};  // another format's, that fits too when --format names this
  bool needs_times = false;            // prints timed rows alone
};

std::span<const Format> formats();
std::vector<std::string> format_names();
// The format of that name or of that file extension, or nullptr.
const Format* find_format(std::string_view name);
const Format* format_of_extension(std::string_view extension);
// The format of a file with that extension when --format says `name`: the one that is named if the
// extension fits it or is nobody's, otherwise the extension's own; nullptr when there is none.
// "table", which is what --format says when it is not given, names nothing.
const Format* format_of_file(std::string_view extension, std::string_view name);

// The table that --table names (UserError when there is none), or the first.
const Table& chosen_table(const Result& result, const PrintOptions& options);

// Each in the file of its name (print_table: terminal.cpp, print_json: json_document.cpp).
std::string print_table(const Result& result, const PrintOptions& options);
std::string print_csv(const Result& result, const PrintOptions& options);
std::string print_json(const Result& result, const PrintOptions& options);
std::string print_jsonl(const Result& result, const PrintOptions& options);
std::string print_markdown(const Result& result, const PrintOptions& options);
std::string print_junit(const Result& result, const PrintOptions& options);
std::string print_github(const Result& result, const PrintOptions& options);
std::string print_gbench(const Result& result, const PrintOptions& options);
std::string print_bencher(const Result& result, const PrintOptions& options);
std::string print_github_action_benchmark(const Result& result, const PrintOptions& options);

bool is_table(std::string_view start, const Result& result);
bool is_csv(std::string_view start, const Result& result);
bool is_json(std::string_view start, const Result& result);
bool is_jsonl(std::string_view start, const Result& result);
bool is_markdown(std::string_view start, const Result& result);
bool is_junit(std::string_view start, const Result& result);
bool is_github(std::string_view start, const Result& result);
bool is_gbench(std::string_view start, const Result& result);
bool is_bencher(std::string_view start, const Result& result);
bool is_github_action_benchmark(std::string_view start, const Result& result);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FORMAT_H_
