// ReadSortedTable: reads a sorted-string table, the file format of LevelDB that checkpoints use for
// their index.
//
//   [data blocks] [metaindex block] [index block] [footer]
//
// A parser of untrusted input. Sizes and checksums are checked before memory is allocated. Blocks
// may be compressed with Snappy. Stateless; thread-safe.

#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "signet/status.h"

namespace signet {

// Returns the entries in the order of their keys, which are different. DATA_LOSS for a wrong
// checksum and INVALID_ARGUMENT for other faults, with the offset of the block.
StatusOr<std::vector<std::pair<std::string, std::string>>> ReadSortedTable(
    std::span<const std::byte> file);

}  // namespace signet
