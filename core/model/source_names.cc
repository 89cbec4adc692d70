#include "core/model/source_names.h"

#include <string>
#include <string_view>

#include "signet/cat.h"

namespace signet {
namespace {

std::string InputPrefix(const FunctionDef& def) { return Cat("source.", def.name, ".input."); }
std::string OutputKey(const FunctionDef& def) { return Cat("source.", def.name, ".output"); }

// Calls `use(rest of the key, value)` for the entries whose keys begin with `prefix`.
template <class Use>
void ForEachEntry(const ModelDef& model, const std::string& prefix, Use use) {
  for (auto it = model.metadata.lower_bound(prefix);
       it != model.metadata.end() && it->first.starts_with(prefix); ++it) {
    use(it->first.substr(prefix.size()), it->second);
  }
}

}  // namespace

void AddSourceNames(ModelDef& model) {
  for (const FunctionDef& def : model.functions) {
    for (const auto& [parameter, source] : def.source_parameters) {
      model.metadata[InputPrefix(def) + parameter] = source;
    }
    for (const auto& [key, source] : def.source_results) {
      model.metadata[key.empty() ? OutputKey(def) : Cat(OutputKey(def), ".", key)] = source;
    }
  }
}

void ReadSourceNames(ModelDef& model) {
  if (model.metadata.empty()) return;
  for (FunctionDef& def : model.functions) {
    if (!def.source_parameters.empty() || !def.source_results.empty()) continue;
    ForEachEntry(model, InputPrefix(def), [&](std::string parameter, const std::string& source) {
      if (def.type.LookupParameter(parameter) != nullptr) {
        def.source_parameters.emplace(std::move(parameter), source);
      }
    });
    auto whole = model.metadata.find(OutputKey(def));
    if (whole != model.metadata.end()) def.source_results.emplace("", whole->second);
    ForEachEntry(model, OutputKey(def) + ".", [&](std::string key, const std::string& source) {
      if (!key.empty()) def.source_results.emplace(std::move(key), source);
    });
  }
}

}  // namespace signet
