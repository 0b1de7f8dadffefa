// The attention's output as a .npy file, collected head by head.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_OUTPUT_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_OUTPUT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "attention/operands.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_settings.h"
#include "machine/thread_team.h"

namespace attnlab {

class InspectOutput {
 public:
  InspectOutput(std::string path, const InspectSettings& settings, const OperandShape& shape);

  // Attends with the fused kernel (or that of windows) and keeps the output of these heads.
  void add(const Problem& problem, Operator op, const Operands& operands,
           const std::vector<float>& v, std::int64_t batch, std::int64_t first_head,
           ThreadTeam& team);
  void add(const Problem& problem, Operator op, const Operands& operands,
           const std::vector<double>& v, std::int64_t batch, std::int64_t first_head,
           ThreadTeam& team);
  // With as many axes, in the same order, as the queries have in their file.
  void write() const;

 private:
  std::string path_;
  HeadLayout layout_;
  OperandShape shape_;
  std::int64_t dv_;
  std::vector<float> numbers_;  // [b, h, n, dv] or [b, n, h, dv]
};

// UserError when there is something of that name, which may be what is inspected, or no folder for
// it.
void check_output_file(const std::string& path);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_OUTPUT_H_
