#include "core/ops/text_ops.h"

namespace signet {

std::vector<OpDef> TextOps() {
  std::vector<OpDef> ops = RegexOps();
  for (auto make : {JoinRowText, SplitText, StringJoin, StringSplit, StringStrip, TokenizeText}) {
    ops.push_back(make());
  }
  return ops;
}

}  // namespace signet
