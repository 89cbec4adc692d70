// Field paths: changing structures nested in structures, by path.

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/parts.h"

namespace signet {

// "steps.text" => {"steps", "text"}; refuses an empty path and empty names.
StatusOr<std::vector<std::string>> SplitPath(std::string_view path);

// Refuses paths that are the same or where one leads through another.
Status CheckApart(std::span<const std::string> paths);

// `structure` with the structure that path[0 .. n-2] leads to changed by `change`; all on the way
// are made anew around it. NOT_FOUND for a missing name, INVALID_ARGUMENT for a path through a
// leaf.
StatusOr<GraphValue> ChangeParent(
    Expander& expander, const GraphValue& structure, std::span<const std::string> path,
    const std::function<Status(StructureParts& parent, const std::string& name)>& change);

// The place of `name` in parts.fields; NOT_FOUND lists the fields.
StatusOr<size_t> FindField(const StructureParts& parts, std::string_view name);

}  // namespace signet
