// The tables of contract: a row a contraction, its indices, and the steps of several operands.
#ifndef ATTNLAB_EXPERIMENTS_CONTRACT_TABLES_H_
#define ATTNLAB_EXPERIMENTS_CONTRACT_TABLES_H_

#include <vector>

#include "base/parameter.h"
#include "report/table.h"

namespace attnlab {

enum ContractTable { kContractTable, kIndicesTable, kStepsTable };

// Of the user's expression, or of the presets; `is_measured` adds the columns of time.
std::vector<Table> contract_tables(const ParameterList& parameters, bool is_expression,
                                   bool is_measured);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_CONTRACT_TABLES_H_
