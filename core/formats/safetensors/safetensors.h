// Safetensors: reads and writes named tensors in files, which are mapped, not copied.
//
// The format is 8 bytes of header length (little-endian), a JSON header (name -> dtype, shape,
// data_offsets), and the bytes. The files are untrusted: header length, offsets, overlap, and sizes
// are checked against the shapes and the length of the file before memory is allocated.

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
  NamedTensors tensors;                    // their buffers borrow `file` and keep it alive
  std::shared_ptr<const MappedFile> file;  // knows whether it was damaged later
};
StatusOr<MappedTensors> MapSafetensors(const std::filesystem::path& path);
// Parses the same format from bytes in memory, which `owner` keeps alive.
StatusOr<NamedTensors> ParseSafetensors(std::span<const std::byte> bytes,
                                        std::shared_ptr<const void> owner);
// Writes a file atomically: under a temporary name, which is then renamed. Returns an error for
// string and complex tensors.
Status WriteSafetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace signet
