// OpenList: a list of tensors whose length is known only at run time.
// The type of an ordinary list contains its length. If branches, or steps of a loop, make lists of
// different lengths, the lists become rows of a structure with one field:
//
//   list(float32[2], float32[3])  with  list()  =>  [{element: float32[(?)]}]
// Sizes that are known and equal in all elements stay in the type. The dimensions up to the last
// other size are ragged. A mixed list is an open list whose elements have different or unknown
// ranks. It stores the flat values and the shape of each element:
//
//   list(float32[], float32[3])  with  list()  =>  [{element: float32[(?)], shape: int64[(?)]}]
//
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

bool IsOpenList(const TypeSpec& spec);  // mixed or not
bool IsMixedList(const TypeSpec& spec);
// Returns the open list type to which lists or open lists of both types can be converted, or null
// if there is none. The elements are tensors of the same dtype.
TypeSpec OpenListType(const TypeSpec& a, const TypeSpec& b);
// Converts a list or an open list to `type`, which OpenListType returned for it. An open list can
// only be converted to a mixed list.
StatusOr<GraphValue> OpenList(OpBuilder& build, const GraphValue& list, const TypeSpec& type);
// Converts a list or an open list to a mixed list of elements of `dtype`.
StatusOr<GraphValue> MixedList(OpBuilder& build, const GraphValue& list, DType dtype);

// Converts a column of tensors, one per row, to an open list.
StatusOr<GraphValue> OpenListOf(OpBuilder& build, const GraphValue& column);
// Returns the column of an open list, a tensor or a ragged value. The column of a mixed list has
// the flat values of each element.
StatusOr<GraphValue> ColumnOf(const GraphValue& list);
// Returns the shape of each element of a mixed list, `ragged int64[?, (?)]`.
StatusOr<GraphValue> ShapesOf(const GraphValue& mixed);

// Returns the type that marks an open list as returned by a function. `elements` is the type of a
// mixed list, or of the column of another open list. Callers receive a list, or the column
// (core/runtime/returned_value.h).
TypeSpec ReturnedListType(const TypeSpec& elements);
bool IsReturnedList(const TypeSpec& spec);

}  // namespace signet
