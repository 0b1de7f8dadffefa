// The output formats. A new one is a file with a print function, declared and listed in format.cpp.
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
  std::string_view extension;  // of a file that holds it, with the point
  std::string_view summary;
  // The whole text of a result. UserError when it has no such table.
  std::string (*print)(const Result& result, const PrintOptions& options);
};

std::span<const Format> formats();
std::vector<std::string> format_names();
// The format of that name or of that file extension, or nullptr.
const Format* find_format(std::string_view name);
const Format* format_of_extension(std::string_view extension);

// The table that --table names (UserError when there is none), or the first.
const Table& chosen_table(const Result& result, const PrintOptions& options);

// Each in the file of its name (print_table: terminal.cpp, print_json: json_document.cpp).
std::string print_table(const Result& result, const PrintOptions& options);
std::string print_csv(const Result& result, const PrintOptions& options);
std::string print_json(const Result& result, const PrintOptions& options);
std::string print_jsonl(const Result& result, const PrintOptions& options);
std::string print_markdown(const Result& result, const PrintOptions& options);
std::string print_junit(const Result& result, const PrintOptions& options);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_FORMAT_H_
