#include "app/output.h"

#include <signal.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>

#include "base/error.h"
#include "base/file.h"
#include "base/number.h"
#include "base/text.h"
#include "report/result_reader.h"

namespace attnlab {
namespace {

namespace fs = std::filesystem;

std::string start_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(65536, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  return text;
}

// Whether an existing file was written by attnlab, in this format or in another one that its
// extension stands for.
bool is_ours(const std::string& path, const Format& format, const Result& result) {
  const std::string start = start_of(path);
  const std::string extension = fs::path(path).extension().string();
  return std::any_of(formats().begin(), formats().end(), [&](const Format& other) {
    const bool may_be = &other == &format || other.extension == extension ||
                        (!extension.empty() && other.guest_extension == extension);
    return may_be && other.is_ours(start, result);
  });
}

// Whether something is there that a regular file of ours would replace.
bool exists_as_file(const std::string& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (fs::is_directory(status)) throw UserError(path, "is a directory", "name a file");
  return fs::exists(status) && !fs::is_character_file(status) && !fs::is_fifo(status);
}

[[noreturn]] void refuse(const std::string& path) {
  throw UserError(path, "is there already and was not written by attnlab",
                  "choose another place, or overwrite it with --force");
}

std::string in_folder(const std::string& folder, const std::string& file) {
  return (fs::path(folder) / file).string();
}

// Temporary files (base/file.h) of processes that are gone.
void remove_abandoned(const std::string& folder) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    const std::size_t suffix = name.rfind(".tmp");
    if (suffix == std::string::npos) continue;
    const std::string kept = name.substr(0, suffix);
    const auto process = integer_from_text(name.substr(suffix + 4));
    const bool is_our_name = kept == "result.json" || kept.ends_with(".csv");
    if (!is_our_name || !process || *process <= 0) continue;
    if (::kill(static_cast<pid_t>(*process), 0) != 0 && errno == ESRCH) {
      fs::remove(entry.path(), error);
    }
  }
}

// The CSV files of the result that was in the folder before: until new ones are written, and where
// no new one is, they would pass for those of the new result.
void remove_tables(const std::string& folder, const Result& old) {
  for (const Table& table : old.tables) {
    const std::string path = in_folder(folder, table.name + ".csv");
    std::error_code error;
    const bool is_plain = table.name.find('/') == std::string::npos;
    if (is_plain && fs::is_regular_file(path, error) && is_csv_of(start_of(path), table)) {
      fs::remove(path, error);
    }
  }
}

}  // namespace

Output::Output(std::string path, bool force, std::string_view format)
    : path_(std::move(path)), force_(force) {
  if (path_.empty()) return;
  const std::string extension = fs::path(path_).extension().string();
  std::error_code error;
  if (fs::is_directory(path_, error) || extension.empty()) {
    is_folder_ = !fs::exists(path_, error) || fs::is_directory(path_, error);
    if (!is_folder_) format_ = format_of_file(".json", format);  // a device or a pipe
    return;
  }
  format_ = format_of_file(extension, format);
  if (format_ == nullptr) {
    std::vector<std::string> known;
    for (const Format& one : formats()) {
      if (!one.extension.empty()) known.emplace_back(one.extension);
    }
    throw UserError("--output", "no format has the extension " + printable(extension),
                    "use " + join(known, ", ") +
                        ", for a figure .svg or .png, name a format with --format, or a folder");
  }
}

std::string Output::result_path() const { return in_folder(path_, "result.json"); }

void Output::open(const Result& result) {
  if (path_.empty()) return;
  if (!is_folder_) {
    if (exists_as_file(path_) && !force_ && !is_ours(path_, *format_, result)) refuse(path_);
    return;
  }
  Result old;
  if (exists_as_file(result_path())) {
    if (is_result_document(start_of(result_path()))) {
      try {
        old = read_result_without_rows(result_path());
      } catch (const UserError&) {  // of another version, or damaged: its tables stay
      }
    } else if (!force_) {
      refuse(result_path());
    }
  }
  for (const Table& table : result.tables) {
    const std::string path = in_folder(path_, table.name + ".csv");
    if (exists_as_file(path) && !force_ && !is_csv_of(start_of(path), table)) refuse(path);
  }
  make_folder(path_);
  document_.set_provenance(result);
  add_rows(result);
  save(result);  // an unwritable folder shows before the work, not after it
  remove_tables(path_, old);
  remove_abandoned(path_);
}

void Output::add_rows(const Result& result) {
  document_.add_rows(result);
  csv_.resize(result.tables.size());
  for (std::size_t i = 0; i < csv_.size(); ++i) csv_[i].add_rows(result.tables[i]);
}

void Output::forget_rows(std::size_t table) {
  document_.forget_rows(table);
  if (table < csv_.size()) csv_[table] = CsvText();
}

void Output::save(const Result& result) {
  document_.set_head(result);
  write_file(result_path(), document_.pieces());
}

void Output::finish(const Result& result, const PrintOptions& options) {
  if (path_.empty()) return;
  if (!is_folder_) {
    write_file(path_, {format_->print(result, {.width = options.width, .table = options.table})});
    return;
  }
  add_rows(result);
  for (std::size_t i = 0; i < csv_.size(); ++i) {
    write_file(in_folder(path_, result.tables[i].name + ".csv"), csv_[i].pieces());
  }
  document_.set_provenance(result);
  save(result);  // last: when it says complete, everything is there
}

}  // namespace attnlab
