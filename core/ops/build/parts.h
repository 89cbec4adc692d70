// Parts: the components of ragged values and structures, with which expansions work while a
// function is specialized.
//
//   ragged int64[?, (?)]  <=>  values int64[?], splits {int64[?]}
//   [{a: int64[]}]        <=>  nrows int64[], splits {}, fields {a: int64[?]}
// A field of a structure uses the same edges as the structure for the row partitions. When fields
// are combined, their edges are compared first, then the known sizes. Only other partitions are
// compared at run time.

#pragma once

#include <string>
#include <vector>

#include "core/base/constraint.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/operand.h"
#include "signet/ragged_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {

// Returns component `i` of `value` as a tensor.
GraphValue ComponentOf(const GraphValue& value, size_t i);

// Returns child `i` of a list, tuple, dict, named tuple, or extension value.
GraphValue ChildOf(const GraphValue& value, size_t i);

// Returns a value of `spec` with the components of all `children`, one after the other.
GraphValue Joined(TypeSpec spec, std::span<const GraphValue> children);

// Returns a constant int64 scalar.
GraphValue Int64Constant(OpBuilder& build, int64_t value);

// Returns the size of dimension `axis` of a tensor as an int64 scalar. It is a constant if the size
// is known.
Expr DimSize(OpBuilder& build, const Operand& tensor, int axis);

// Fails with `error`, an INVALID_ARGUMENT error, unless the condition, `bool[]`, is true: now if
// the condition is known, or else at run time.
Status CheckCondition(OpBuilder& build, const Operand& condition, const Status& error);

// Fails with `error` unless two sizes, `int64[]`, are equal, now or at run time. Unlike
// check_same_size, the check runs even if no op uses the sizes.
Status CheckSameSize(OpBuilder& build, const GraphValue& a, const GraphValue& b,
                     const Status& error);

struct RaggedParts {
  GraphValue values;               // a tensor: the flat values
  std::vector<GraphValue> splits;  // tensors, outermost first
};
RaggedParts RaggedPartsOf(const GraphValue& ragged);

// Makes a ragged value from `parts`. Ragged dimensions get the sizes of `like` if it has the same
// rank. Without splits, returns the flat values.
StatusOr<GraphValue> MakeRaggedValue(const RaggedParts& parts, const PartialShape& like = {});

struct FieldPart {
  std::string name;
  GraphValue value;   // an independent value, with the rows and partitions of the structure
  bool fits = false;  // true if the rows and partitions are known to be those of the structure
  bool is_optional = false;  // rows of length 0 or 1 that text formats write without their lists
};

struct StructureParts {
  PartialShape shape;  // of known rank
  GraphValue nrows;    // no type: use the number of rows of the fields, or the rank is 0
  std::vector<GraphValue> splits;  // rank - 1 splits, or none: use the splits of the fields
  std::vector<FieldPart> fields;   // in the order of the type
};
StructureParts StructurePartsOf(const GraphValue& structure);
// Returns the column called `name` as an independent value. A NOT_FOUND error lists the fields.
StatusOr<GraphValue> FieldValue(const GraphValue& structure, std::string_view name);

// Makes a structure from `parts`. Rejects fields that are known to have different rows. Rows that
// are not known to be equal are compared at run time by check_same_size and check_same_splits.
StatusOr<GraphValue> MakeStructureValue(OpBuilder& build, StructureParts parts);

}  // namespace signet
