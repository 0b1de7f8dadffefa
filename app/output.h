// Where results are written: nowhere, one file, or a folder with result.json and one CSV a table.
#ifndef ATTNLAB_APP_OUTPUT_H_
#define ATTNLAB_APP_OUTPUT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "report/csv_text.h"
#include "report/format.h"
#include "report/json_document.h"
#include "report/result.h"

namespace attnlab {

class Output {
 public:
  // `path` "" writes nothing. A path with an extension is a file, in the format of
  // format_of_file(); a folder that exists or a path without extension is a folder. `format` is
  // what --format says. UserError for an extension that no format has.
  Output(std::string path, bool force, std::string_view format = "table");

  bool is_folder() const { return is_folder_; }
  const std::string& path() const { return path_; }
  std::string result_path() const;  // of result.json in the folder
  // Refuses to overwrite what is not ours (UserError), makes the folder, writes result.json for the
  // first time; then removes what an earlier result and killed runs left in the folder.
  void open(const Result& result);

  // ---- of a folder, while the run goes on ----
  // Turns new rows into text, which is most of the work of a save.
  void add_rows(const Result& result);
  // The rows of a table are other ones now.
  void forget_rows(std::size_t table);
  // Writes result.json as far as add_rows() got.
  void save(const Result& result);

  // Writes everything.
  void finish(const Result& result, const PrintOptions& options);

 private:
  std::string path_;
  bool force_;
  bool is_folder_ = false;
  const Format* format_ = nullptr;
  JsonDocument document_;
  std::vector<CsvText> csv_;  // one a table
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_OUTPUT_H_
