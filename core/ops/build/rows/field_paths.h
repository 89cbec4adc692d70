// FieldPaths: finds and changes values nested in structures by path.
//
//   list("steps", "text"), or "steps.text" as text  =>  {"steps", "text"};      "", list()  =>  {}

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ops/build/parts.h"
#include "signet/structured.h"

namespace signet {

using FieldNames = std::span<const std::string>;  // the names of a path, or of a part of a path

std::string PathText(FieldNames path);  // `steps.text`

// Read an attribute that is a path, or a list of paths.
StatusOr<FieldPath> PathAttribute(const Attributes& attributes, std::string_view name);
StatusOr<std::vector<FieldPath>> PathsAttribute(const Attributes& attributes,
                                                std::string_view name);

// Returns true if `path` is `other` or a prefix of `other`.
bool LeadsTo(FieldNames path, FieldNames other);
// Rejects an empty path, a path with an empty name, and a path that is equal to another path or a
// prefix of it.
Status CheckApart(std::vector<FieldPath> paths);

// Returns the value to which `path` leads through structures, dicts, named tuples, and extension
// values. An empty path leads to the value itself. A NOT_FOUND error states the part of the path
// that exists.
StatusOr<GraphValue> ValueAt(const GraphValue& value, FieldNames path);
// Returns the structure to which `path` leads. INVALID_ARGUMENT if the value is not a structure.
StatusOr<GraphValue> StructureAt(const GraphValue& value, FieldNames path);

// Returns the paths in the attribute `names` of an op on fields. C1: `structure` is a structure.
// C2: each path leads to a field.
StatusOr<std::vector<FieldPath>> ListedFields(const OpCall& call, const GraphValue& structure);

// Returns a copy of `structure` in which `change` has changed the structure at path[0 .. n-2].
// NOT_FOUND for a missing name, INVALID_ARGUMENT for a path through a leaf.
StatusOr<GraphValue> ChangeParent(
    OpBuilder& build, const GraphValue& structure, FieldNames path,
    const std::function<Status(StructureParts& parent, const std::string& name)>& change);

// Adds `field` to a structure. Replaces a field of the same name.
void PutField(StructureParts& parent, FieldPart field);
// Removes the field called `name`. A NOT_FOUND error lists the fields.
Status DropField(StructureParts& parent, std::string_view name);

// Returns `structure` with `value` at `path`. `value` is known to have the rows of the structure
// that receives it.
StatusOr<GraphValue> WithValueAt(OpBuilder& build, const GraphValue& structure, FieldNames path,
                                 const GraphValue& value);

}  // namespace signet
