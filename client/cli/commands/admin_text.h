// Text of the answers of AdminService for people.

#pragma once

#include <string>

#include "signet/v1/admin.pb.h"

namespace signet {

// Returns what a call changed, or with `dry_run` would change, and the states of the models.
std::string FormatChange(const v1::ChangeResponse& response, bool dry_run);
std::string FormatReplacement(const v1::ReplaceCapturesResponse& response, bool dry_run);
// Returns the states of all versions, and the statistics of the functions of available versions.
std::string FormatStatus(const v1::StatusResponse& response);

}  // namespace signet
