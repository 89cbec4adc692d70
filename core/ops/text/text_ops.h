// Text ops: ops on strings.
//
// One line per op, or per table of ops in one file. To add an op, write its file next to this
// header and a line here.

#pragma once

#include "core/ops/def/op_list.h"

// clang-format off
#define SIGNET_TEXT_OPS(OP, TABLE) \
  OP(FormatNumber)                 \
  OP(FormatTensor)                 \
  OP(JoinRowText)                  \
  OP(NumberToString)               \
  OP(SplitText)                    \
  OP(StringBytes)                  \
  OP(StringConcat)                 \
  OP(StringFingerprint)            \
  OP(StringHashBucket)             \
  OP(StringJoin)                   \
  OP(StringLength)                 \
  OP(StringSplit)                  \
  OP(StringStrip)                  \
  OP(StringToNumber)               \
  OP(Substr)                       \
  OP(TokenizeText)                 \
  OP(UnicodeScript)                \
  TABLE(Base64Ops)                 \
  TABLE(CodePointOps)              \
  TABLE(NgramOps)                  \
  TABLE(RegexOps)                  \
  TABLE(StringCaseOps)             \
  TABLE(TimeOps)
// clang-format on

namespace signet {

SIGNET_TEXT_OPS(SIGNET_DECLARE_OP, SIGNET_DECLARE_OP_TABLE)

}  // namespace signet
