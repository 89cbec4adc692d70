#include "core/frontends/savedmodel/lower/record_fields.h"

#include "core/types/identifier.h"
#include "signet/cat.h"

namespace signet {
namespace {

constexpr size_t kMaxLength = 200;

}  // namespace

std::map<std::string, std::string> RecordFieldNames(const std::set<std::string>& features) {
  std::map<std::string, std::string> out;
  // A feature that is a name of a field keeps its name.
  std::set<std::string> taken;
  for (const std::string& feature : features) {
    if (IsFieldName(feature) && feature.size() <= kMaxLength) taken.insert(feature);
  }
  for (const std::string& feature : features) {
    std::string base;
    for (char c : feature.substr(0, kMaxLength)) {
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      const bool is_word = is_letter || (c >= '0' && c <= '9') || c == '_';
      if (base.empty() && !is_letter) base = "f_";
      base += is_word ? c : '_';
    }
    if (base.empty()) base = "f_";
    std::string name = base;
    for (int i = 2; name != feature && !taken.insert(name).second; ++i) name = Cat(base, "_", i);
    out[feature] = name;
  }
  return out;
}

}  // namespace signet
