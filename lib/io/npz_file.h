// Opens an .npz archive: a ZIP archive whose members are .npy arrays.
#ifndef ATTNLAB_IO_NPZ_FILE_H_
#define ATTNLAB_IO_NPZ_FILE_H_

#include <memory>
#include <string>

#include "io/byte_source.h"
#include "io/tensor_file.h"

namespace attnlab {

// The header of every member is read. Members that are no .npy are passed over; arrays of objects,
// fields, text or complex numbers are listed with the reason why they cannot be read. UserError for
// a damaged archive or member, for a PyTorch file, and for one without .npy members.
std::unique_ptr<TensorFile> open_npz(std::unique_ptr<ByteSource> bytes, const std::string& place);

}  // namespace attnlab

#endif  // ATTNLAB_IO_NPZ_FILE_H_
