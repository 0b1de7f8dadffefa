// What `inspect` says in words: warnings with reason and remedy, what was read, what is missing.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_NOTES_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_NOTES_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/readouts.h"
#include "experiments/inspect_operands.h"
#include "experiments/inspect_settings.h"

namespace attnlab {

// Heads whose softmax is saturated, for the warning.
struct SaturatedHeads {
  std::int64_t heads = 0, saturated = 0;
  std::int64_t first_batch = 0, first_head = 0;  // of the first of them
  Readouts first{};

  void add(const ReadoutSums& sums, const std::vector<std::string_view>& flags, std::int64_t batch,
           std::int64_t head);
};

// "saturated" where every head is, "saturated 3/12" where some are.
std::string flags_of_all(const std::vector<std::vector<std::string_view>>& heads);

// Why numbers of a row do not exist; "" where all do.
std::string missing_reason(const Readouts& readouts, const InspectPoint& point);

std::string pooling_note(std::int64_t queries, std::int64_t keys);

// What left rows without weights, or numbers without a value.
struct SpoiledRows {
  std::string first_nonfinite;      // where the first NaN or Inf is; "" where there is none
  std::int64_t nonfinite = 0;       // how many there are,
  std::int64_t beyond = 0;          // of them finite numbers that float32 cannot hold
  std::int64_t nonfinite_rows = 0;  // rows without finite weights
  std::int64_t masked_rows = 0;     // rows that see no key
  std::string mask_warning;
};

// The notes of a point in the order in which they are shown.
std::vector<std::string> point_notes(const InspectSettings& settings, const InspectPoint& point,
                                     const OperandSource& source, bool is_plain,
                                     const SaturatedHeads& saturated, const SpoiledRows& spoiled);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_NOTES_H_
