// InspectModel: describes a model of any form for people, as `signet inspect DIR` prints it.

#pragma once

#include <filesystem>
#include <string>

#include "core/model/model_def.h"

namespace signet {

// Describes the model in a version directory, or in one of its files: functions with signatures,
// documentation, and nodes in order, captures with types and sizes, extension types, and metadata.
// Errors are the errors of loading.
StatusOr<std::string> InspectModel(const std::filesystem::path& folder);

// Describes a loaded model. The first line contains `name`.
std::string DescribeModel(const ModelDef& model, std::string_view name);

}  // namespace signet
