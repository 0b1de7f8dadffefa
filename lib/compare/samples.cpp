#include "compare/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/error.h"
#include "base/number.h"
#include "compare/match.h"
#include "measure/resample.h"

namespace attnlab {
namespace {

bool spells_no_number(const std::string& text) {
  std::string word = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  std::transform(word.begin(), word.end(), word.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return word == "nan" || word == "inf" || word == "infinity";
}

[[noreturn]] void refuse(const Table& table, const Row& row, const std::string& place,
                         const std::string& problem, const std::string& remedy) {
  throw UserError(fmt::format("{}: table {}, {}", place, table.name, parameters_text(table, row)),
                  problem, remedy);
}

// A row that counts as measured has a time above 0.
void check_time(const Table& table, const Row& row, const std::string& place) {
  const int status = table.index_of("status");
  if (status < 0 || row.cells[static_cast<std::size_t>(status)] != Cell("ok")) return;
  const auto timed =
      std::find_if(table.columns.begin(), table.columns.end(),
                   [](const Column& column) { return column.kind == ColumnKind::kTimed; });
  if (timed == table.columns.end()) return;
  const Cell& cell = row.cells[static_cast<std::size_t>(timed - table.columns.begin())];
  const auto* time = std::get_if<double>(&cell);
  if (time != nullptr && *time > 0) return;
  const auto* whole = std::get_if<std::int64_t>(&cell);
  if (whole != nullptr && *whole > 0) return;
  refuse(table, row, place, fmt::format("{} is {}", timed->name, cell_json(cell).dump()),
         "a time is above 0: measure longer, with --min-time");
}

void check_samples(const Table& table, const Row& row, const std::string& place) {
  std::size_t count = 0;
  for (std::size_t process = 0; process < row.time_samples.size(); ++process) {
    for (std::size_t call = 0; call < row.time_samples[process].size(); ++call) {
      ++count;
      const double time = row.time_samples[process][call];
      if (time > 0) continue;
      refuse(table, row, place,
             fmt::format("time_samples[{}][{}] is {}", process, call, number_text(time)),
             "a time is above 0: measure longer, with --min-time");
    }
  }
  if (count == 1) {
    refuse(table, row, place, "a single time tells nothing of its uncertainty",
           "measure with --repeats 10 and --runs 5");
  }
}

}  // namespace

void check_values(const Result& result, const std::string& place) {
  for (const Table& table : result.tables) {
    for (const Row& row : table.rows) {
      check_samples(table, row, place);
      if (result.status == Status::kComplete) check_time(table, row, place);
      for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto* text = std::get_if<std::string>(&row.cells[i]);
        if (table.columns[i].kind == ColumnKind::kParameter || text == nullptr) continue;
        if (!spells_no_number(*text)) continue;
        refuse(table, row, place, fmt::format("{} is \"{}\"", table.columns[i].name, *text),
               "a value that does not exist is null");
      }
    }
  }
}

const Row* reference_row(const Table& table, const Row& row, const std::string& reference) {
  const int kernel = table.index_of("kernel");
  if (kernel < 0) return nullptr;
  const Row* out = nullptr;
  for (const Row& other : table.rows) {
    if (other.cells[static_cast<std::size_t>(kernel)] != Cell(reference)) continue;
    bool is_beside = true;
    for (std::size_t i = 0; is_beside && i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      const bool may_differ =
          column.kind != ColumnKind::kParameter || column.name == "kernel" || column.name == "isa";
      is_beside = may_differ || other.cells[i] == row.cells[i];
    }
    if (is_beside) out = &other;
  }
  return out;
}

std::optional<TimedSide> timed_side(const Table& table, const Row& row,
                                    const std::string& reference) {
  if (reference.empty()) return TimedSide{without_empty(row.time_samples)};
  const Row* beside = reference_row(table, row, reference);
  if (beside == nullptr) return std::nullopt;
  TimedSide out;
  for (std::size_t i = 0; i < row.time_samples.size(); ++i) {
    const bool has_both = i < beside->time_samples.size() && !beside->time_samples[i].empty() &&
                          !row.time_samples[i].empty();
    if (!has_both) continue;
    out.times.push_back(row.time_samples[i]);
    out.reference.push_back(beside->time_samples[i]);
  }
  return out.times.empty() ? std::nullopt : std::optional(std::move(out));
}

}  // namespace attnlab
