// An assertion that stays in every build: for our own mistakes, never for the user's.
#ifndef ATTNLAB_BASE_CHECK_H_
#define ATTNLAB_BASE_CHECK_H_

namespace attnlab {

// Prints the place and the condition to stderr and aborts.
[[noreturn]] void check_failed(const char* file, int line, const char* condition);

}  // namespace attnlab

#define ATTNLAB_CHECK(condition) \
  ((condition) ? void(0) : ::attnlab::check_failed(__FILE__, __LINE__, #condition))

#endif  // ATTNLAB_BASE_CHECK_H_
