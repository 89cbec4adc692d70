// Safetensors: named tensors in a file, read or mapped.
//
// The format is 8 bytes of header length (little-endian), a JSON header (name -> dtype, shape,
// data_offsets), and the bytes. A door: header length, offsets, overlap, sizes against shapes and
// against the file's length are checked before there is memory for the tensors.

#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/values/tensor.h"

namespace signet {

using NamedTensors = std::vector<std::pair<std::string, Tensor>>;  // sorted by name

// The tensors of a file, in memory of their own: what becomes of the file does not matter.
StatusOr<NamedTensors> ReadSafetensors(const std::filesystem::path& path);
// The same without reading: their buffers borrow a mapping, so nobody may change the file in place.
// A program that reads where the file was cut short ends with SIGBUS.
StatusOr<NamedTensors> MapSafetensors(const std::filesystem::path& path);
// The same from bytes in memory, which `owner` keeps alive.
StatusOr<NamedTensors> ParseSafetensors(std::span<const std::byte> bytes,
                                        std::shared_ptr<const void> owner);
// Writes a file, atomically (a temporary name, then a rename). Refuses string and complex tensors.
Status WriteSafetensors(const std::filesystem::path& path, const NamedTensors& tensors);

}  // namespace signet
