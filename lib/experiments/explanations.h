// What a page tells of an experiment besides its tables: the question it answers, and what is
// surprising of its rows. A new experiment is a line in explanations.cpp, and where its rows can
// surprise a function in surprises.cpp.
#ifndef ATTNLAB_EXPERIMENTS_EXPLANATIONS_H_
#define ATTNLAB_EXPERIMENTS_EXPLANATIONS_H_

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/language.h"
#include "report/table.h"

namespace attnlab {

// The question in one sentence; "" for what is no experiment.
std::string_view question_of(std::string_view experiment, Language language);

struct Surprise {
  std::string text;
  std::optional<std::size_t> row{};  // where it shows
};
// What a reader would not expect of a table: an atypical run, a claim that does not simply hold, a
// variance far from theory, saturated weights, doubtful fits.
std::vector<Surprise> surprises_of(const Table& table, Language language);

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_EXPLANATIONS_H_
