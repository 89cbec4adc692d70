// Inspect: a model of any form, written to be read by people; what `signet inspect DIR` prints.

#pragma once

#include <filesystem>
#include <string>

#include "core/model/model_def.h"

namespace signet {

// The model in a version folder: functions with signatures, documents and nodes in order, captures
// with types and sizes, extension types, metadata. Refused as loading refuses it.
StatusOr<std::string> InspectModel(const std::filesystem::path& folder);

// The same of a model at hand; `name` is what it is called in the first line.
std::string DescribeModel(const ModelDef& model, std::string_view name);

}  // namespace signet
