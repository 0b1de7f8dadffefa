// The tables of `inspect`, and rows for them.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_TABLES_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_TABLES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/readouts.h"
#include "base/parameter.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_settings.h"
#include "report/table.h"

namespace attnlab {

// Which row of a table: a point of the grid, a layer, a sequence, a head.
struct InspectPlace {
  const InspectPoint* point = nullptr;
  Cell layer = std::int64_t{0};
  Cell batch = std::int64_t{0}, head = std::int64_t{0};
};

std::vector<Table> inspect_tables(const InspectSettings& settings, const ParameterList& parameters);
// The table of that name among those of this experiment; our own mistake when there is none.
Table& inspect_table(std::vector<Table>& tables, std::string_view base_name);
bool has_inspect_table(const std::vector<Table>& tables, std::string_view base_name);

// A row with the values that find it.
Table::RowWriter add_inspect_row(const InspectSettings& settings, const InspectPlace& place,
                                 Table& table);

// What of readouts and flags a row of `inspect` holds.
void set_readouts(Table::RowWriter& row, const Readouts& readouts, std::int64_t nonfinite,
                  const std::string& flags);

// "scale none, temperature 0.5": the axes of a point in words; "" where there is nothing to tell.
std::string point_text(const InspectSettings& settings, const InspectPoint& point);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_TABLES_H_
