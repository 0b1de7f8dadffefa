#include "report/format.h"

#include "base/error.h"
#include "base/text.h"

namespace attnlab {
namespace {

constexpr Format kFormats[] = {
    {"table", ".txt", "tables for people, fitted to the terminal", print_table, is_table},
    {"csv", ".csv", "one table as RFC 4180 CSV: the first, or --table NAME", print_csv, is_csv},
    {"json", ".json", "the whole result as one document", print_json, is_json},
    {"jsonl", ".jsonl", "one row a line, with its table's name", print_jsonl, is_jsonl},
    {"markdown", ".md", "tables as GitHub shows them", print_markdown, is_markdown},
    {"junit", ".xml", "a test case per expectation and verdict, for continuous integration",
     print_junit, is_junit},
    {"github", "", "annotations of a GitHub Actions run: what failed, what is undecided",
     print_github, is_github, ".txt"},
    {"gbench", "", "the timed rows as Google Benchmark's JSON, for its compare.py", print_gbench,
     is_gbench, ".json", true},
    {"github-action-benchmark", "", "the timed rows for its tool customSmallerIsBetter",
     print_github_action_benchmark, is_github_action_benchmark, ".json", true},
    {"bencher", "", "the timed rows as Bencher Metric Format", print_bencher, is_bencher, ".json",
     true},
};

}  // namespace

std::span<const Format> formats() { return kFormats; }

std::vector<std::string> format_names() {
  std::vector<std::string> out;
  for (const Format& format : kFormats) out.emplace_back(format.name);
  return out;
}

const Format* find_format(std::string_view name) {
  for (const Format& format : kFormats) {
    if (format.name == name) return &format;
  }
  return nullptr;
}

const Format* format_of_extension(std::string_view extension) {
  for (const Format& format : kFormats) {
    if (!extension.empty() && format.extension == extension) return &format;
  }
  return nullptr;
}

const Format* format_of_file(std::string_view extension, std::string_view name) {
  const Format* const owner = format_of_extension(extension);
  const Format* const named = name == kFormats[0].name ? nullptr : find_format(name);
  const bool fits = named != nullptr && (owner == nullptr || named->guest_extension == extension);
  return fits ? named : owner;
}

const Table& chosen_table(const Result& result, const PrintOptions& options) {
  if (options.table.empty() && !result.tables.empty()) return result.tables.front();
  if (const Table* table = result.find(options.table)) return *table;
  std::vector<std::string> names;
  for (const Table& table : result.tables) names.push_back(table.name);
  throw UserError("--table", "no table is called " + printable(options.table),
                  suggest(options.table, names));
}

}  // namespace attnlab
