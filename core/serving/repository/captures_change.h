// OnlyCapturesChanged: whether the files of a version changed so that its captures can be replaced.
//
// Stateless; thread-safe.

#pragma once

#include "core/serving/repository/folder_stamp.h"

namespace signet {

// Returns true if captures.safetensors differs between the stamps, and no other file except for the
// manifest does.
bool OnlyCapturesChanged(const FolderStamp& before, const FolderStamp& now);

}  // namespace signet
