// Turns the bytes of an array into numbers: a box of it, in row-major order, whatever the order of
// axes and bytes in the file. Bytes are read in blocks; what lies between is passed over where that
// saves more than it costs.
#ifndef ATTNLAB_IO_ARRAY_READER_H_
#define ATTNLAB_IO_ARRAY_READER_H_

#include <cstdint>
#include <span>

#include "io/array_storage.h"
#include "io/byte_source.h"
#include "io/tensor_file.h"

namespace attnlab {

// The bytes of the array lie within `bytes`, the box within the entry's shape; out.size() is
// box_elements(box). Number is float or double for an entry with dtype, std::uint8_t for a boolean
// one. Returns how many finite numbers became infinite.
template <class Number>
std::int64_t read_array(ByteSource& bytes, const TensorEntry& entry, const ArrayStorage& storage,
                        const TensorBox& box, std::span<Number> out);

extern template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                        const TensorBox&, std::span<float>);
extern template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                        const TensorBox&, std::span<double>);
extern template std::int64_t read_array(ByteSource&, const TensorEntry&, const ArrayStorage&,
                                        const TensorBox&, std::span<std::uint8_t>);

}  // namespace attnlab

#endif  // ATTNLAB_IO_ARRAY_READER_H_
