// Where `inspect` has its q, k and v from, one group of heads at a time, so that memory does not
// grow with the number of heads: drawn at random, or out of files.
#ifndef ATTNLAB_EXPERIMENTS_INSPECT_OPERANDS_H_
#define ATTNLAB_EXPERIMENTS_INSPECT_OPERANDS_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "attention/operands.h"
#include "base/watch.h"
#include "experiments/inspect_settings.h"
#include "report/table.h"
#include "tensor/buffer.h"

namespace attnlab {

struct OperandShape {
  std::int64_t batch = 1, heads = 1, kv_heads = 1, nq = 1, nk = 1, d = 1;
  std::optional<std::int64_t> dv{};  // none: there are no values
  int axes = 4;                      // of the arrays in the files: 2 to 4

  std::int64_t group() const { return heads / kv_heads; }  // query heads of a key head
};

// A key head with the query heads that share it: q [group, nq, d], k [nk, d], v [nk, dv].
template <class T>
struct HeadGroup {
  std::vector<T> q, k, v;
  std::int64_t beyond = 0;  // finite numbers of the files that T cannot hold: they are Inf
};

class OperandSource {
 public:
  virtual ~OperandSource() = default;
  const OperandShape& shape() const { return shape_; }
  const Cell& layer() const { return layer_; }
  // Fills all three, in part only when the watch says stopped; v is empty where there are no
  // values. UserError, RunError of the files.
  virtual void read(std::int64_t batch, std::int64_t kv_head, HeadGroup<float>& out,
                    const Watch& watch) = 0;
  virtual void read(std::int64_t batch, std::int64_t kv_head, HeadGroup<double>& out,
                    const Watch& watch) = 0;

 protected:
  OperandShape shape_;
  Cell layer_ = std::int64_t{0};
};

// Words and random heads. With mulberry32, for each key head and token: d normals of q for each
// query head, then d of k, then, but for words, d of v.
std::unique_ptr<OperandSource> drawn_operands(const InspectSettings& settings, std::int64_t d,
                                              std::uint64_t seed);

// The layers that the settings name, in order. UserError when a file cannot be used, or its arrays
// do not fit together.
std::vector<std::unique_ptr<OperandSource>> file_operands(const InspectSettings& settings,
                                                          const std::string& place);

// A mask in memory, which grows with n^2 as its file does.
class MaskData {
 public:
  MaskData() = default;
  // UserError when it cannot be used or does not fit.
  MaskData(const std::string& address, const OperandShape& shape);
  MaskShape shape() const { return shape_; }
  // As the query heads of a key head see it.
  MaskView view(std::int64_t batch, std::int64_t first_head) const;
  double bytes() const { return static_cast<double>(data_.bytes()); }
  // What people should know of its numbers; "" if nothing.
  const std::string& warning() const { return warning_; }

 private:
  void read_additive(TensorFile& file, std::size_t entry, std::span<float> out);

  MaskShape shape_;
  AlignedBuffer data_;
  Index4 stride_{};
  std::string warning_;
};

}  // namespace attnlab

#endif  // ATTNLAB_EXPERIMENTS_INSPECT_OPERANDS_H_
