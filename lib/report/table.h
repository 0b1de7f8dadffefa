// The table: the product of every experiment. Every sink and every comparison reads this one form.
#ifndef ATTNLAB_REPORT_TABLE_H_
#define ATTNLAB_REPORT_TABLE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/json.h"
#include "base/parameter.h"

namespace attnlab {

// One value of a table. std::monostate is "does not exist" (null). A double is always finite.
using Cell = std::variant<std::monostate, bool, std::int64_t, double, std::string,
                          std::vector<std::int64_t>>;

// What kind of value a column holds, which is also how two results of it are compared.
enum class ColumnKind {
  kParameter,  // set by the user: finds the row
  kExact,      // counted: equal or wrong
  kMeasured,   // of a deterministic experiment: equal within the tolerance
  kTimed,      // of a clock: compared by its samples
  kDerived,    // computed from other columns: not compared
};
enum class Better { kNone, kLower, kHigher };

std::string_view name_of(ColumnKind kind);
std::string_view name_of(Better better);

// By how much two results of one column may differ and still be the same: the larger of `relative`
// times the value and `absolute`, the latter in units of another column of the row where `of` names
// it.
struct Tolerance {
  double relative = 0;
  double absolute = 0;
  std::string of{};
};

struct Column {
  std::string name;
  std::string help{};
  ColumnKind kind = ColumnKind::kMeasured;
  std::string unit{};  // SI: "s", "B", "FLOP/s", "bit"; "" for a plain number
  Better better = Better::kNone;
  Tolerance tolerance{};
  std::string interval_low{}, interval_high{};  // the columns that hold this one's 95 % interval
};

// The column of a parameter, from its one declaration.
Column parameter_column(const ParameterList& parameters, std::string_view name);
// What became of a row (ok | skipped | refused | failed), and why a value of it does not exist.
Column status_column();
Column reason_column();

// Columns by which the terminal shows a long table as a matrix: where a row stands in it, its
// value, and what is written at the matrix's edges.
struct TableMatrix {
  std::string row, column, value;
  std::string row_label, column_label;
};

// How one column of a table judges its rows, for formats that report failures (findings.h). It is
// no part of the result document: whoever makes the table says it.
struct TableVerdict {
  std::string column;                   // holds the word that judges; null: nothing was judged
  std::string expected{};               // the column with the word that it must be, if there is one
  std::vector<std::string> failures{};  // words that fail the row
  std::vector<std::string> undecided{};  // words that decide nothing; all other words pass
  std::vector<std::string> told{};       // columns that a message quotes
  std::string severity{};                // a column with ratios: the farther from 1, the worse
};

struct Row {
  std::vector<Cell> cells;  // one a column
  // Seconds a call, in order of measurement: one list a process. Only in timed rows.
  std::vector<std::vector<double>> time_samples;
};

class Table {
 public:
  Table() = default;
  Table(std::string table_name, std::string from_experiment, std::vector<Column> table_columns);

  std::string name;        // unique in a result: "entropy-2" for a second table called "entropy"
  std::string base_name;   // what its experiment calls it
  std::string experiment;  // the experiment that made it
  std::string title;
  bool is_detail =
      false;  // many rows behind another table: the terminal shows it only when asked to
  std::optional<TableMatrix> matrix;    // shown as a heat map instead, and not at all without rows
  std::optional<TableVerdict> verdict;  // where one of the columns judges the rows
  std::vector<Column> columns;
  std::vector<Row> rows;
  std::vector<std::string> notes;

  // Adds a row of nulls (its status, where there is one, "ok") and returns a writer for it, valid
  // until the next row.
  class RowWriter {
   public:
    RowWriter(Table& table, Row& row) : table_(&table), row_(&row) {}
    // An infinity or NaN becomes null. An unknown column is our own mistake.
    template <class T>
    RowWriter& set(std::string_view column, T value) {
      if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
        return set_cell(column, Cell(static_cast<std::int64_t>(value)));
      } else if constexpr (std::is_convertible_v<T, std::string_view>) {
        return set_cell(column, Cell(std::string(value)));
      } else {
        return set_cell(column, Cell(std::move(value)));
      }
    }
    Row& row() { return *row_; }

   private:
    RowWriter& set_cell(std::string_view column, Cell value);

    Table* table_;
    Row* row_;
    std::size_t next_ = 0;  // where the search begins: columns are mostly set in their order
  };
  RowWriter add_row();

  // The index of a column, or -1.
  int index_of(std::string_view column) const;
  const Cell& at(const Row& row, std::string_view column) const;
  // Adds a note unless it is there already.
  void add_note(std::string text);
};

// A cell as JSON, and as the text of a CSV field: numbers read back equal in both.
Json cell_json(const Cell& cell);
std::string cell_text(const Cell& cell);
// A row as a JSON object, time_samples last where there are any.
Json row_json(const Table& table, const Row& row);

}  // namespace attnlab

#endif  // ATTNLAB_REPORT_TABLE_H_
