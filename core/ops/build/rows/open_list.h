// Open lists: lists of tensors of which only the run knows how many there are.
//
// A list of the nest types has its length in its type. Where branches, or rounds of a loop, make
// lists of different lengths, they become rows of a structure with one field:
//
//   list(float32[2], float32[3])  with  list()  =>  [{element: float32[(?)]}]
//
// Sizes that are known and equal in all elements stay; others are row lengths, as far in as the
// last of them. Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

bool IsOpenList(const TypeSpec& spec);
// That which values of both types, lists or open lists, are made into; null where there is none:
// elements are tensors of one dtype and rank.
TypeSpec OpenListType(const TypeSpec& a, const TypeSpec& b);
// A list as an open one of `type`, which OpenListType gave for it.
StatusOr<GraphValue> OpenList(OpBuilder& build, const GraphValue& list, const TypeSpec& type);

// A column of tensors, one a row, as an open list.
StatusOr<GraphValue> OpenListOf(OpBuilder& build, const GraphValue& column);
// The column: a tensor, or a ragged value.
StatusOr<GraphValue> ColumnOf(const GraphValue& list);

}  // namespace signet
