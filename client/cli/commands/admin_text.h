// Text of the answers of AdminService for people.

#pragma once

#include <string>

#include "signet/v1/admin.pb.h"

namespace signet {

// Returns the labels of a version, sorted, such as `canary, stable`.
std::string LabelsOf(const v1::ModelInfo& model, int64_t version);
// Returns what happens to a version, and why it is not available, in one line. Of a reason of
// several lines, this is the first one, and the list below it if it is a heading.
std::string AboutVersion(const v1::VersionInfo& version);

// Returns what a call changed, or with `dry_run` would change, and the states of the models.
std::string FormatChange(const v1::ChangeResponse& response, bool dry_run);
std::string FormatReplacement(const v1::ReplaceCapturesResponse& response, bool dry_run);
// Returns the states of all versions, and the statistics of the functions of available versions.
std::string FormatStatus(const v1::StatusResponse& response);

}  // namespace signet
