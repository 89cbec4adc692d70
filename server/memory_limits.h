// AvailableMemory, FitToMemory: lower the limits of the server to the memory that it may use.
//
// With the default limits, the kernel would end a server in a container of 256 MiB before it
// reaches a limit. FitToMemory divides the memory:
//
//   1/4   intermediates and results of running calls
//   1/4   requests, which hold most of the arguments
//   1/4   arguments that are decoded from other formats
//   1/8   responses that clients have not read
//   1/8   models and the process itself
//
// Stateless.

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>

#include "server/options.h"

namespace signet {

// Returns the smallest memory limit, in bytes, of the control groups (version 1 and 2) that this
// process is in, or the memory of the machine if it is smaller. Returns 0 if neither is known.
// `root` is `/`, except in tests.
int64_t AvailableMemory(const std::filesystem::path& root = "/");

// Lowers the limits of `options` so that they fit into `memory` bytes. Does not change a limit if
// `is_set` returns true for its flag.
void FitToMemory(int64_t memory, int threads, const std::function<bool(std::string_view)>& is_set,
                 ServerOptions& options);

}  // namespace signet
