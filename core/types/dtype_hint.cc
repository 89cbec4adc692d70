#include "core/types/dtype_hint.h"

#include <utility>
#include <vector>

#include "core/base/nearest_name.h"
#include "signet/cat.h"
#include "signet/dtype.h"

namespace signet {
namespace {

// Types of programming languages, and the dtypes that may be meant.
constexpr std::pair<std::string_view, std::string_view> kTypesOfOtherLanguages[] = {
    {"bytes", "`string`"},         {"double", "`float64`"}, {"float", "`float32`"},
    {"int", "`int32` or `int64`"}, {"str", "`string`"},     {"text", "`string`"},
};

}  // namespace

std::string HintForDType(std::string_view name) {
  for (const auto& [other, meant] : kTypesOfOtherLanguages) {
    if (name == other) return Cat("; did you mean ", meant, "?");
  }
  std::vector<std::string_view> names;
  for (const DTypeInfo& info : AllDTypes()) names.push_back(info.name);
  const auto nearest = NearestName(name, names);
  return nearest ? Cat("; did you mean `", *nearest, "`?") : std::string();
}

}  // namespace signet
