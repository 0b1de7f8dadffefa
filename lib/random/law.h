// The laws a component of q or k can follow, each symmetric about 0 with variance 1 before a mean
// is added.
#ifndef ATTNLAB_RANDOM_LAW_H_
#define ATTNLAB_RANDOM_LAW_H_

#include <cstdint>
#include <span>
#include <string_view>

namespace attnlab {

enum class Law { kNormal, kUniform, kRademacher, kLaplace, kLogistic, kStudentT };
inline constexpr Law kLaws[] = {Law::kNormal,  Law::kUniform,  Law::kRademacher,
                                Law::kLaplace, Law::kLogistic, Law::kStudentT};

// normal, uniform, rademacher, laplace, logistic, student-t (base/choice.h).
std::span<const std::string_view> choice_names(Law);

// E x^4; df is used by Student's t alone, and the moment is infinite there for df <= 4.
double fourth_moment(Law law, double df);

// How many uniforms of mulberry32 a component takes: 2 for the normal law and Student's t, else 1.
int uniforms_per_component(Law law);

}  // namespace attnlab

#endif  // ATTNLAB_RANDOM_LAW_H_
