// The kinds of error that leave a function as an exception; app/exit_code.h maps each to its exit
// code. Our own mistakes are no exception but an ATTNLAB_CHECK; what is expected to happen is a
// value.
#ifndef ATTNLAB_BASE_ERROR_H_
#define ATTNLAB_BASE_ERROR_H_

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace attnlab {

// One mistake of the user: where it is, what is wrong with which value, and what to do about it.
struct Mistake {
  std::string place;    // "configs/a.json: experiments[0].samples", "--samples", "q.npy"
  std::string problem;  // "1.5 is not a whole number"
  std::string remedy;   // "give a whole number from 2 to 1000000000000"; may be empty

  std::string text() const;  // "place: problem; remedy"
};

// Bad usage or bad input: flag, config or file. Carries every mistake found, not only the first.
class UserError : public std::runtime_error {
 public:
  UserError(std::string place, std::string problem, std::string remedy = "");
  explicit UserError(std::vector<Mistake> mistakes);  // at least one
  const std::vector<Mistake>& mistakes() const { return mistakes_; }

 private:
  std::vector<Mistake> mistakes_;
};

// The run itself failed: input or output, no space, no memory. The input was fine.
class RunError : public std::runtime_error {
 public:
  RunError(std::string_view place, std::string_view problem, std::string_view remedy = "");
};

}  // namespace attnlab

#endif  // ATTNLAB_BASE_ERROR_H_
