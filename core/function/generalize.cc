#include "core/function/generalize.h"

namespace signet {

FunctionType Generalize(const FunctionType& request, std::span<const FunctionType> targets) {
  FunctionType general = request;
  for (const FunctionType& target : targets) {
    if (auto joined = MostSpecificCommonSubtype(general, target)) general = *std::move(joined);
  }
  return general;
}

}  // namespace signet
