#include "io/array_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace attnlab {
namespace {

static_assert(std::endian::native == std::endian::little, "bytes are swapped for big-endian files");

constexpr std::int64_t kBlockBytes = std::int64_t{1} << 18;
constexpr std::int64_t kGapBytes = 4096;  // shorter ones are read, longer ones passed over

// A loop over `count` numbers, `in` apart in the file and `out` apart in the result.
struct Loop {
  std::int64_t count, in, out;
};

// The loops over a box from the slowest in the file to the fastest, neighbours joined where they
// are one. The last one's numbers lie side by side in the file.
struct Walk {
  std::int64_t begin = 0;  // the first number's index in the file
  std::vector<Loop> loops;
};

Walk walk_of(const TensorEntry& entry, bool is_fortran, const TensorBox& box) {
  const std::size_t axes = entry.shape.size();
  ATTNLAB_CHECK(box.size() == axes);
  std::vector<Loop> fastest_first;
  Walk walk;
  std::vector<std::int64_t> out_stride(axes, 1);
  for (std::size_t axis = axes; axis-- > 1;) {
    out_stride[axis - 1] = out_stride[axis] * box[axis].count;
  }
  std::int64_t in_stride = 1;
  for (std::size_t step = 0; step < axes; ++step) {
    const std::size_t axis = is_fortran ? step : axes - 1 - step;
    const auto [begin, count] = box[axis];
    ATTNLAB_CHECK(begin >= 0 && count >= 1 && count <= entry.shape[axis] - begin);
    walk.begin += begin * in_stride;
    const Loop loop{count, in_stride, out_stride[axis]};
    in_stride *= entry.shape[axis];
    if (count == 1) continue;
    if (!fastest_first.empty()) {
      Loop& inner = fastest_first.back();
      if (loop.in == inner.in * inner.count && loop.out == inner.out * inner.count) {
        inner.count *= count;
        continue;
      }
    }
    fastest_first.push_back(loop);
  }
  if (fastest_first.empty() || fastest_first.front().in != 1) {
    fastest_first.insert(fastest_first.begin(), Loop{1, 1, 1});
  }
  walk.loops.assign(fastest_first.rbegin(), fastest_first.rend());
  return walk;
}

// The bytes of a source in blocks, for reading that goes forward.
class BlockReader {
 public:
  explicit BlockReader(ByteSource& source) : source_(&source) {}

  // `bytes` (at most kBlockBytes) bytes from `offset` on. Reads on to `end` where the block has
  // room.
  const std::byte* at(std::int64_t offset, std::int64_t bytes, std::int64_t end) {
    if (offset < begin_ || offset + bytes > begin_ + held_) {
      begin_ = offset;
      held_ = 0;
      const std::int64_t wanted = std::min(kBlockBytes, std::max(end - offset, bytes));
      if (std::cmp_less(block_.size(), wanted)) block_.resize(static_cast<std::size_t>(wanted));
      source_->read(offset, std::span(block_).first(static_cast<std::size_t>(wanted)));
      held_ = wanted;
    }
    return block_.data() + (offset - begin_);
  }

 private:
  ByteSource* source_;
  std::vector<std::byte> block_;
  std::int64_t begin_ = 0, held_ = 0;
};

template <class Bits, bool kSwap>
Bits load(const std::byte* from) {
  std::array<std::byte, sizeof(Bits)> bytes;
  std::memcpy(bytes.data(), from, sizeof(Bits));
  if constexpr (kSwap) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<Bits>(bytes);
}

// Element is the type in the file: Bf16, F16, float, double, or std::uint8_t for flags.
template <class Element, bool kSwap, class Number>
std::int64_t convert(const std::byte* from, std::int64_t count, Number* to, std::int64_t stride) {
  if constexpr (!kSwap && std::is_same_v<Element, Number> && std::is_floating_point_v<Number>) {
    if (stride == 1) {
      std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(Number));
      return 0;
    }
  }
  std::int64_t overflows = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const auto element =
        load<Element, kSwap>(from + i * static_cast<std::int64_t>(sizeof(Element)));
    Number& number = to[i * stride];
    if constexpr (std::is_same_v<Element, std::uint8_t>) {
      number = element != 0;
    } else if constexpr (std::is_floating_point_v<Element>) {
      number = static_cast<Number>(element);
      if constexpr (sizeof(Number) < sizeof(Element)) {
        overflows += std::isinf(number) && !std::isinf(element);
      }
    } else {
      number = to_float(element);
    }
  }
  return overflows;
}

template <class Number>
struct Converter {
  std::int64_t bytes;  // of an element
  std::int64_t (*run)(const std::byte*, std::int64_t, Number*, std::int64_t);
};

template <class Element, class Number>
Converter<Number> converter_of(bool swap) {
  return {static_cast<std::int64_t>(sizeof(Element)),
          swap ? convert<Element, true, Number> : convert<Element, false, Number>};
}

template <class Number>
Converter<Number> converter_of(const TensorEntry& entry, bool swap) {
  if constexpr (std::is_floating_point_v<Number>) {
    ATTNLAB_CHECK(entry.dtype);
    switch (*entry.dtype) {
      case Dtype::kF16:
        return converter_of<F16, Number>(swap);
      case Dtype::kBf16:
        return converter_of<Bf16, Number>(swap);
      case Dtype::kF32:
        return converter_of<float, Number>(swap);
      default:
        ATTNLAB_CHECK(entry.dtype == Dtype::kF64);
        return converter_of<double, Number>(swap);
    }
  } else {
    ATTNLAB_CHECK(entry.is_bool);
    return converter_of<std::uint8_t, Number>(false);
  }
}

}  // namespace

template <class Number>
std::int64_t read_array(ByteSource& bytes, const TensorEntry& entry, const ArrayStorage& storage,
                        const TensorBox& box, std::span<Number> out) {
  ATTNLAB_CHECK(std::cmp_equal(out.size(), box_elements(box)));
  if (out.empty()) return 0;
  const Walk walk = walk_of(entry, storage.is_fortran, box);
  const Converter<Number> converter = converter_of<Number>(entry, storage.is_big_endian);

  // The innermost loops that leave short gaps only are read as one; `group` is the first of them.
  const Loop run = walk.loops.back();
  std::size_t group = walk.loops.size() - 1;
  std::int64_t group_span = run.count;  // numbers from its first to behind its last
  while (group > 0) {
    const Loop& outer = walk.loops[group - 1];
    if ((outer.in - group_span) * converter.bytes > kGapBytes) break;
    group_span += (outer.count - 1) * outer.in;
    --group;
  }

  BlockReader blocks(bytes);
  std::vector<std::int64_t> index(walk.loops.size(), 0);
  std::int64_t in = walk.begin, to = 0, group_end = in + group_span, overflows = 0;
  while (true) {
    for (std::int64_t done = 0; done < run.count;) {
      const std::int64_t count = std::min(run.count - done, kBlockBytes / converter.bytes);
      const std::byte* from =
          blocks.at(storage.offset + (in + done) * converter.bytes, count * converter.bytes,
                    storage.offset + group_end * converter.bytes);
      overflows += converter.run(from, count, out.data() + to + done * run.out, run.out);
      done += count;
    }
    std::size_t loop = walk.loops.size() - 1;
    while (true) {  // the next run: count up the loops around it
      if (loop == 0) return overflows;
      --loop;
      in += walk.loops[loop].in;
      to += walk.loops[loop].out;
      if (++index[loop] < walk.loops[loop].count) break;
      in -= walk.loops[loop].count * walk.loops[loop].in;
      to -= walk.loops[loop].count * walk.loops[loop].out;
      index[loop] = 0;
    }
    if (loop < group) group_end = in + group_span;
  }
}

template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                 const TensorBox&, std::span<float>);
template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                 const TensorBox&, std::span<double>);
template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                 const TensorBox&, std::span<std::uint8_t>);

}  // namespace attnlab
