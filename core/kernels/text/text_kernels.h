// Text kernels: the kernels of core/ops/text.
//
// One line per file. A file contains the kernels of the op file with its name.

#pragma once

#include "core/kernels/def/kernel_list.h"

// clang-format off
#define SIGNET_TEXT_KERNELS(TABLE) \
  TABLE(Base64Kernels)             \
  TABLE(CodePointKernels)          \
  TABLE(FormatNumberKernels)       \
  TABLE(FormatTensorKernels)       \
  TABLE(NgramKernels)              \
  TABLE(NumberToStringKernels)     \
  TABLE(RegexKernels)              \
  TABLE(StringBytesKernels)        \
  TABLE(StringCaseKernels)         \
  TABLE(StringConcatKernels)       \
  TABLE(StringFingerprintKernels)  \
  TABLE(StringHashBucketKernels)   \
  TABLE(StringJoinKernels)         \
  TABLE(StringLengthKernels)       \
  TABLE(StringSplitKernels)        \
  TABLE(StringStripKernels)        \
  TABLE(StringToNumberKernels)     \
  TABLE(SubstrKernels)             \
  TABLE(TimeKernels)               \
  TABLE(TokenizeKernels)           \
  TABLE(UnicodeScriptKernels)
// clang-format on

namespace signet {

SIGNET_TEXT_KERNELS(SIGNET_DECLARE_KERNELS)

}  // namespace signet
