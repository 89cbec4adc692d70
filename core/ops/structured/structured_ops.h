// Structured ops: structures and their fields, lists, tuples, and dicts.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_STRUCTURED_OPS(OP, TABLE) \
  OP(MakeDict)                           \
  OP(MakeList)                           \
  OP(MakeTuple)                          \
  OP(StructGet)                          \
  OP(StructMake)                         \
  OP(StructMap)                          \
  OP(StructNrows)                        \
  OP(StructUpdate)                       \
  OP(StructWithOnly)                     \
  OP(StructWithout)                      \
  TABLE(PromoteOps)                      \
  TABLE(StructSizeOps)
// clang-format on

namespace signet {

SIGNET_STRUCTURED_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
