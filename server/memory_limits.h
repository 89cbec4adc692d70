// MemoryLimits: the memory that this process may use, and limits of the server that fit into it.
//
// In a container of 256 MiB, the usual limits would let the kernel end the server before a limit
// holds. FitToMemory lowers them: a quarter of the memory is for what running calls compute, a
// quarter for requests, which hold most of the arguments, a quarter for arguments that are decoded
// from other formats, an eighth for responses that clients have not read, and the rest for models
// and for the process itself. Stateless.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "server/options.h"

namespace signet {

// Returns the smallest memory limit, in bytes, of the control groups (version 1 and 2) that this
// process is in, or of the machine if it is smaller; 0 if nothing is known. `root` is `/`, except
// in tests.
int64_t AvailableMemory(const std::filesystem::path& root = "/");

// Lowers the limits of `options` to what fits into `memory` bytes. A limit for whose flag `is_set`
// returns true stays as it is.
void FitToMemory(int64_t memory, int threads, const std::function<bool(std::string_view)>& is_set,
                 ServerOptions& options);

}  // namespace signet
