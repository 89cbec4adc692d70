// ReadFileIn: reads a file that a model names, such as `@recipe.json` in an example.
//
// Whoever publishes a model chooses the name, so that only regular files in the directory of the
// model are read: `..` and links may not leave it, and devices and pipes are rejected. Thread-safe.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "signet/status.h"

namespace signet {

// Returns the content of the file `name` in `folder`. Returns NOT_FOUND if it does not exist,
// FAILED_PRECONDITION if it is not a regular file in the folder or cannot be read, and
// RESOURCE_EXHAUSTED if it has more than `max_bytes`.
StatusOr<std::string> ReadFileIn(const std::filesystem::path& folder, const std::string& name,
                                 uintmax_t max_bytes);

}  // namespace signet
