// Safetensors: named tensors in a file, mapped, not read.
//
// The format is 8 bytes of header length (little-endian), a JSON header (name -> dtype, shape,
// data_offsets), and the bytes. A door: header length, offsets, overlap, sizes against shapes and
// against the file's length are checked before anything is mapped or taken.

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/formats/common/mapped_file.h"
#include "signet/tensor.h"

namespace signet {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // sorted by name

struct MappedTensors {
  NamedTensors tensors;                    // their buffers borrow `file`, and keep it
  std::shared_ptr<const MappedFile> file;  // which says whether it was damaged since
};
StatusOr<MappedTensors> MapSafetensors(const std::filesystem::path& path);
// The same from bytes in memory, which `owner` keeps alive.
StatusOr<NamedTensors> ParseSafetensors(std::span<const std::byte> bytes,
                                        std::shared_ptr<const void> owner);
// Writes a file, atomically (a temporary name, then a rename). Refuses string and complex tensors.
Status WriteSafetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace signet
