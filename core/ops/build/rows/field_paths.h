// Field paths: values nested in structures, found and changed by path.
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

using FieldNames = std::span<const std::string>;  // of a path, or a part of one

std::string PathText(FieldNames path);  // `steps.text`

// An attribute that is a path, or a list of paths.
StatusOr<FieldPath> PathAttribute(const Attributes& attributes, std::string_view name);
StatusOr<std::vector<FieldPath>> PathsAttribute(const Attributes& attributes,
                                                std::string_view name);

// Whether `path` leads to `other` or to something on the way there.
bool LeadsTo(FieldNames path, FieldNames other);
// Refuses paths without a name, with an empty one, or of which one leads to another.
Status CheckApart(std::vector<FieldPath> paths);

// What `path` leads to through structures, dicts, named tuples and extension values; an empty one,
// to the value itself. NOT_FOUND says how far it led.
StatusOr<GraphValue> ValueAt(const GraphValue& value, FieldNames path);
// The structure that `path` leads to; INVALID_ARGUMENT when it is none.
StatusOr<GraphValue> StructureAt(const GraphValue& value, FieldNames path);

// The paths that attribute `names` of an op on fields lists. C1: `structure` is one; C2: each path
// leads to a field.
StatusOr<std::vector<FieldPath>> ListedFields(const OpCall& call, const GraphValue& structure);

// `structure` with the structure that path[0 .. n-2] leads to changed by `change`; all on the way
// are made anew around it. NOT_FOUND for a missing name, INVALID_ARGUMENT for a path through a
// leaf.
StatusOr<GraphValue> ChangeParent(
    OpBuilder& build, const GraphValue& structure, FieldNames path,
    const std::function<Status(StructureParts& parent, const std::string& name)>& change);

// Puts `field` into a structure, in place of one of its name.
void PutField(StructureParts& parent, FieldPart field);
// Takes the field called `name` out; NOT_FOUND lists the fields.
Status DropField(StructureParts& parent, std::string_view name);

// `structure` with `value` at `path`, whose structure is known to have the same rows.
StatusOr<GraphValue> WithValueAt(OpBuilder& build, const GraphValue& structure, FieldNames path,
                                 const GraphValue& value);

}  // namespace signet
