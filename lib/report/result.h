// A result: what `run` leaves behind and every format prints (docs/results.md, "attnlab-result/1").
#ifndef ATTNLAB_REPORT_RESULT_H_
#define ATTNLAB_REPORT_RESULT_H_

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "report/table.h"

namespace attnlab {

inline constexpr std::string_view kResultSchema = "attnlab-result/1";

enum class Verdict { kPass, kFail, kNotChecked };
std::string_view name_of(Verdict verdict);  // "pass", "fail", "not checked"

// One cell that an `expect` of the config speaks of.
struct Expectation {
  std::string table;
  Json row;  // the parameters that find the row and tell it apart
  std::string column;
  Json expected;  // as the config has it
  Json measured;  // the cell; null where there is none
  Verdict verdict = Verdict::kNotChecked;
  std::string reason;  // why not "pass"; "" otherwise
};

enum class Status { kComplete, kInterrupted, kFailed };
std::string_view name_of(Status status);

// How far a run is; its points are counted through all experiments, in their order.
struct PointCount {
  std::size_t done = 0, total = 0;
};

struct Result {
  std::string name;
  Status status = Status::kInterrupted;
  PointCount points;  // total 0: not the result of a run
  Json provenance = Json::object();
  std::vector<Expectation> expectations;
  std::vector<Table> tables;

  // The table of that name, or nullptr.
  const Table* find(std::string_view table_name) const;
};

// "entropy" of "entropy-2", the second table of that name.
std::string_view name_without_number(std::string_view table_name);

Json expectation_json(const Expectation& expectation);

// What the document says of a table apart from its rows: name, experiment, title, columns, notes.
Json table_head_json(const Table& table);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_RESULT_H_
