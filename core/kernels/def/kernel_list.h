// KernelList: the macros that declare the kernel tables of a family. A family header, such as
// shape_kernels.h, lists one table per file.
//
//   #define SIGNET_SHAPE_KERNELS(TABLE)
//     TABLE(TileKernels)  declares `std::span<const KernelDef> TileKernels();`, which tile.cc
//     defines
//
// The catalog expands the same list to call these functions, so that each table is listed once.

#pragma once

#include <span>

#include "core/kernels/def/kernel.h"

#define SIGNET_DECLARE_KERNELS(table) std::span<const KernelDef> table();
