#include "app/output.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

std::string start_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(4096, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// A JSON file is ours if it begins as our documents do; a CSV file if its header has the parameter
// columns of the table.
bool is_ours(const std::string& path, const Table* table) {
  const std::string text = start_of(path);
  if (table == nullptr) {
    return text.find("\"schema\": \"attnlab-result/") < 100;
  }
  const std::vector<std::string> header = split(text.substr(0, text.find_first_of("\r\n")), ',');
  for (const Column& column : table->columns) {
    if (column.kind != ColumnKind::kParameter) continue;
    if (std::find(header.begin(), header.end(), column.name) == header.end()) return false;
  }
  return true;
}

void refuse_foreign(const std::string& path, const Table* table) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status) || fs::is_character_file(status) || fs::is_fifo(status)) return;
  if (fs::is_directory(status)) throw UserError(path, "is a directory", "name a file");
  if (!is_ours(path, table)) {
    throw UserError(path, "is there already and was not written by attnlab",
                    "choose another place, or overwrite it with --force");
  }
}

std::string in_folder(const std::string& folder, const std::string& file) {
  return (fs::path(folder) / file).string();
}

}  // namespace

Output::Output(std::string path, bool force) : path_(std::move(path)), force_(force) {
  if (path_.empty()) return;
  const std::string extension = fs::path(path_).extension().string();
  std::error_code error;
  if (fs::is_directory(path_, error) || extension.empty()) {
    is_folder_ = !fs::exists(path_, error) || fs::is_directory(path_, error);
    if (!is_folder_) format_ = find_format("json");  // a device or a pipe
    return;
  }
  format_ = format_of_extension(extension);
  if (format_ == nullptr) {
    std::vector<std::string> known;
    for (const Format& format : formats()) {
      if (!format.extension.empty()) known.emplace_back(format.extension);
    }
    throw UserError("--output", "no format has the extension " + printable(extension),
                    "use " + join(known, ", ") + ", or name a folder");
  }
}

void Output::open(const Result& result) {
  if (path_.empty()) return;
  if (!is_folder_) {
    if (!force_) refuse_foreign(path_, format_->name == "csv" ? &result.tables.front() : nullptr);
    return;
  }
  if (!force_) {
    refuse_foreign(in_folder(path_, "result.json"), nullptr);
    for (const Table& table : result.tables) {
      refuse_foreign(in_folder(path_, table.name + ".csv"), &table);
    }
  }
  make_folder(path_);
}

void Output::save(const Result& result) {
  if (is_folder_) write_file(in_folder(path_, "result.json"), {document_.text(result)});
}

void Output::finish(const Result& result, const PrintOptions& options) {
  if (path_.empty()) return;
  if (!is_folder_) {
    write_file(path_, {format_->print(result, options)});
    return;
  }
  for (const Table& table : result.tables) {
    write_file(in_folder(path_, table.name + ".csv"), {table_csv(table)});
  }
  save(result);  // last: when it says complete, everything is there
}

}  // namespace attnlab
