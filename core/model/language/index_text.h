// TextOfKeys: writes the keys of an index as text.
//
// Stateless; thread-safe.

#pragma once

#include <span>
#include <string>

#include "signet/index_key.h"

namespace signet {

// Returns the text that names an index in the name of its node, such as `[0, 1:, "name", i]`.
// `references` are the names of the computed keys.
std::string TextOfKeys(std::span<const IndexKey> keys, std::span<const std::string> references);

}  // namespace signet
