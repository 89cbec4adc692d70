// Parts: composite values taken apart into graph values and put together again, while a function is
// specialised. What expansions on ragged tensors and structures are written with.
//
//   ragged int64[?, (?)]  <=>  values int64[?], splits {int64[?]}
//   [{a: int64[]}]        <=>  nrows int64[], splits {}, fields {a: int64[?]}
//
// A field taken out carries its structure's partitions by the very same edges; putting fields
// together compares edges first, sizes known now next, and only then asks for a check at run time.

#pragma once

#include <string>
#include <vector>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/operand.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

// Component `i` of `value`, as a tensor.
GraphValue ComponentOf(const GraphValue& value, size_t i);

// Child `i` of a list, tuple, dict, named tuple or extension value.
GraphValue ChildOf(const GraphValue& value, size_t i);

// The components of `children`, one after the other, as a value of `spec`.
GraphValue Joined(TypeSpec spec, std::span<const GraphValue> children);

// A constant int64 scalar.
GraphValue Int64Constant(OpBuilder& build, int64_t value);

// Dimension `axis` of a tensor, as an int64 scalar; a constant when it is known.
Expr DimSize(OpBuilder& build, const Operand& tensor, int axis);

// Refuses, now or when it runs, unless two sizes, `int64[]`, are equal. Unlike check_same_size, it
// does so whether or not anything is made of them; `refusal` is the whole message.
Status CheckSameSize(OpBuilder& build, const GraphValue& a, const GraphValue& b,
                     std::string_view refusal);

struct RaggedParts {
  GraphValue values;               // a tensor: the flat values
  std::vector<GraphValue> splits;  // tensors, outermost first
};
RaggedParts RaggedPartsOf(const GraphValue& ragged);

// The ragged value of `parts`; sizes of ragged dimensions stay as `like` has them, when it is of
// the same rank. Without splits: the flat values themselves.
StatusOr<GraphValue> MakeRaggedValue(const RaggedParts& parts, const PartialShape& like = {});

struct FieldPart {
  std::string name;
  GraphValue value;          // standalone: with the structure's rows and partitions
  bool fits = false;         // known to have those of the structure
  bool is_optional = false;  // rows of length 0 or 1 that text formats write without their lists
};

struct StructureParts {
  PartialShape shape;              // of known rank
  GraphValue nrows;                // no type: to be taken from the fields, or rank 0
  std::vector<GraphValue> splits;  // rank - 1, or none: to be taken from the fields
  std::vector<FieldPart> fields;   // in the order in which they are written
};
StructureParts StructurePartsOf(const GraphValue& structure);
// The column called `name`, as a value of its own; NOT_FOUND lists the fields.
StatusOr<GraphValue> FieldValue(const GraphValue& structure, std::string_view name);

// The structure of `parts`. Refuses fields that are known to disagree about rows; where that is not
// known, the rows and partitions of the result go through check_same_size and check_same_splits.
StatusOr<GraphValue> MakeStructureValue(OpBuilder& build, StructureParts parts);

}  // namespace signet
