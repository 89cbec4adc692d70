// SIGNET_DECLARE_OP: declares the functions that make the ops of a family, in headers such as
// shape_ops.h.
//
//   #define SIGNET_SHAPE_OPS(OP, TABLE)
//     OP(Tile)        declares `OpDef Tile();`, which tile.cc defines
//     TABLE(SizeOps)  declares `std::vector<OpDef> SizeOps();`, a table of several ops in one file
//
// The catalog expands the same lists to call these functions, so an op is listed once.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

#define SIGNET_DECLARE_OP(maker) OpDef maker();
#define SIGNET_DECLARE_OP_TABLE(maker) std::vector<OpDef> maker();
