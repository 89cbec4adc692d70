// KernelList: how the header of a family, such as shape_kernels.h, declares the tables of its
// files.
//
//   #define SIGNET_SHAPE_KERNELS(TABLE)
//     TABLE(TileKernels)  declares `std::span<const KernelDef> TileKernels();`, which tile.cc
//     defines
//
// The catalog expands the same lists to call these functions, so a table is listed once.

#pragma once

#include <span>

#include "core/kernels/def/kernel.h"

#define SIGNET_DECLARE_KERNELS(table) std::span<const KernelDef> table();
