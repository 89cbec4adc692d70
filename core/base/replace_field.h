// ReplaceField: replaces the path of the argument at fault that WithField has attached.
//
// Stateless; thread-safe.

#pragma once

#include <string_view>

#include "signet/status.h"

namespace signet {

Status ReplaceField(std::string_view path, Status status);

}  // namespace signet
