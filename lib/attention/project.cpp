#include "attention/project.h"

#include <algorithm>
#include <cstdint>

#include "machine/denormals.h"

namespace attnlab {
namespace {

constexpr std::int64_t kPartRows = 256;
constexpr std::int64_t kFewRows = 32;       // so few are not split
constexpr std::int64_t kLeastParts = 8;     // that share the work evenly enough
constexpr std::int64_t kPartColumns = 128;  // at least: BLAS packs all of a for every part

std::int64_t ceiling(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace

void project(const Matrix<const float>& a, const Matrix<const float>& b, float beta,
             const Matrix<float>& c, ThreadTeam& team) {
  const std::int64_t rows = c.rows > kFewRows ? kPartRows : kFewRows;
  const std::int64_t row_parts = ceiling(c.rows, rows);
  const std::int64_t wanted = ceiling(kLeastParts, row_parts);
  const std::int64_t columns = ceiling(ceiling(c.cols, wanted), kPartColumns) * kPartColumns;
  const std::int64_t column_parts = ceiling(c.cols, columns);
  team.run(row_parts * column_parts, [&](std::int64_t task, int) {
    const FlushDenormals flush;
    const std::int64_t i = task / column_parts * rows, j = task % column_parts * columns;
    const std::int64_t height = std::min(rows, c.rows - i), width = std::min(columns, c.cols - j);
    matmul(1.0f, {a.data + i * a.stride, height, a.cols, a.stride}, Transpose::kNo,
           {b.data + j, b.rows, width, b.stride}, beta,
           {c.data + i * c.stride + j, height, width, c.stride});
  });
}

}  // namespace attnlab
