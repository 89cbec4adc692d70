// Indexing ops: elements, rows, and slices by position or by key.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_INDEXING_OPS(OP, TABLE) \
  OP(BatchGather)                      \
  OP(BooleanMask)                      \
  OP(Bucketize)                        \
  OP(Gather)                           \
  OP(GatherElements)                   \
  OP(GatherNd)                         \
  OP(GetItem)                          \
  OP(Lookup)                           \
  OP(LookupValue)                      \
  OP(OneHot)                           \
  OP(ScatterElements)                  \
  OP(ScatterNd)                        \
  OP(Slice)                            \
  OP(Sort)                             \
  OP(StructGather)                     \
  OP(Unique)                           \
  OP(Where)                            \
  OP(WhereIndices)                     \
  OP(WhereRows)
// clang-format on

namespace signet {

SIGNET_INDEXING_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
