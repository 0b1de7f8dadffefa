// Where results are written: nowhere, one file, or a folder with result.json and one CSV a table.
#ifndef ATTNLAB_APP_OUTPUT_H_
#define ATTNLAB_APP_OUTPUT_H_

#include <string>

#include "report/format.h"
#include "report/json_document.h"
#include "report/result.h"

namespace attnlab {

class Output {
 public:
  // `path` "" writes nothing. A path with a known extension is a file, a folder that exists or a
  // path without extension is a folder. UserError for an extension that no format has.
  Output(std::string path, bool force);

  bool is_folder() const { return is_folder_; }
  const std::string& path() const { return path_; }
  // Refuses to overwrite what is not ours (UserError), makes the folder.
  void open(const Result& result);
  // Writes the result as far as it is, where it can be kept up to date: result.json.
  void save(const Result& result);
  // Writes everything.
  void finish(const Result& result, const PrintOptions& options);

 private:
  std::string path_;
  bool force_;
  bool is_folder_ = false;
  const Format* format_ = nullptr;
  JsonDocument document_;
};

}  // namespace attnlab

#endif  // ATTNLAB_APP_OUTPUT_H_
