// Open lists: lists of tensors of which only the run knows how many there are.
//
// A list of the nest types has its length in its type. Where branches, or rounds of a loop, make
// lists of different lengths, they become rows of a structure with one field:
//
//   list(float32[2], float32[3])  with  list()  =>  [{element: float32[(?)]}]
//
// Sizes that are known and equal in all elements stay; others are row lengths, as far in as the
// last of them. A mixed list is an open list whose elements differ in rank, or whose rank is not
// known. It stores the flat values and the shape of each element:
//
//   list(float32[], float32[3])  with  list()  =>  [{element: float32[(?)], shape: int64[(?)]}]
//
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

bool IsOpenList(const TypeSpec& spec);  // mixed or not
bool IsMixedList(const TypeSpec& spec);
// That which values of both types, lists or open lists, are made into; null where there is none:
// elements are tensors of one dtype.
TypeSpec OpenListType(const TypeSpec& a, const TypeSpec& b);
// A list or an open list as an open one of `type`, which OpenListType gave for it. Of open lists,
// only the conversion to a mixed list is made here.
StatusOr<GraphValue> OpenList(Expander& expander, const GraphValue& list, const TypeSpec& type);
// A list or an open list as a mixed list of elements of `dtype`.
StatusOr<GraphValue> MixedList(Expander& expander, const GraphValue& list, DType dtype);

// A column of tensors, one a row, as an open list.
StatusOr<GraphValue> OpenListOf(Expander& expander, const GraphValue& column);
// The column: a tensor, or a ragged value. Of a mixed list, the flat values of each element.
StatusOr<GraphValue> ColumnOf(const GraphValue& list);
// The shape of each element of a mixed list, `ragged int64[?, (?)]`.
StatusOr<GraphValue> ShapesOf(const GraphValue& mixed);

// Marks an open list that a function returns; `elements` is the type of a mixed list, or of the
// column of another one. Callers receive a list, or the column (core/runtime/returned_value.h).
TypeSpec ReturnedListType(const TypeSpec& elements);
bool IsReturnedList(const TypeSpec& spec);

}  // namespace signet
