// The tables of the cost experiment: their columns, and the rows of one subject at one n.
#ifndef ATTNLAB_EXPERIMENTS_COST_TABLES_H_
#define ATTNLAB_EXPERIMENTS_COST_TABLES_H_

#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cost/model.h"
#include "io/model_config.h"
#include "report/table.h"

namespace attnlab {

// What is counted: a model of a file, or one layer of given sizes (then without a name).
struct CostSubject {
  std::string name;
  ModelShape shape;
  std::vector<ConfigNote> notes{};
};

// One point of the grid. nq and nk are n where they are not given.
struct CostPoint {
  std::int64_t n = 1, nq = 1, nk = 1;
};

// The tables in the order in which they stand in a result; comparison and keys are there for
// models only.
struct CostTables {
  static constexpr std::size_t kCost = 0, kParts = 1, kPhases = 2, kCache = 3, kTraining = 4,
                               kShapes = 5, kComparison = 6, kKeys = 7;
};
std::vector<Table> cost_tables(const ParameterList& parameters, bool of_models, bool measures);

// Columns of the table cost and the three tables below, for a measurement.
void add_measured_tables(const ParameterList& parameters, bool of_models,
                         std::vector<Table>& tables);

// The tables that a measurement adds after all others.
struct MeasuredTables {
  explicit MeasuredTables(std::vector<Table>& tables)
      : measured(tables[tables.size() - 3]),
        generation(tables[tables.size() - 2]),
        peaks(tables[tables.size() - 1]) {}
  Table &measured, &generation, &peaks;
};

// Fills the measured columns of the table cost from the rows of `measured`, and says what they
// mean.
void finish_measured(std::span<const CostSubject> subjects, std::vector<Table>& tables);

// A count that does not fit 64 bits.
struct CountTooLarge : std::exception {};

// Rows of cost, parts, phases, kv_cache and training. Throws CountTooLarge.
void add_cost_rows(const CostSubject& subject, const CostPoint& point, std::vector<Table>& tables);
void add_phase_rows(const CostSubject& subject, std::int64_t n, Table& table);
void add_cache_rows(const CostSubject& subject, std::int64_t n, Table& table);
void add_training_rows(const CostSubject& subject, std::int64_t n, Table& table);
// Rows that do not depend on a point: shapes and keys; and the comparison, a row a model and n.
void add_shape_rows(const CostSubject& subject, Table& table);
void add_key_rows(const CostSubject& subject, Table& table);
void add_comparison_row(const CostSubject& subject, const CostPoint& point, Table& table);

// Whether the model has several kinds of layers, so that a row `all` sums them.
bool has_sum(const ModelShape& shape);

// Notes for people: how pairs are counted, what was read and what assumed.
void add_cost_notes(const CostSubject& subject, Table& table);
void add_table_notes(std::vector<Table>& tables);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_COST_TABLES_H_
