// Gzip, Gunzip: compress and expand the body of an HTTP message (RFC 1952). Stateless; thread-safe.

#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "signet/buffer.h"
#include "signet/status.h"

namespace signet {

// Returns the expanded text. RESOURCE_EXHAUSTED if it has more than `limit` bytes, before more are
// expanded; INVALID_ARGUMENT if `text` is not a complete gzip text.
StatusOr<Buffer> Gunzip(std::string_view text, size_t limit);

// Returns the compressed concatenation of `pieces`, with the fastest level.
std::string Gzip(std::span<const Buffer> pieces);

}  // namespace signet
