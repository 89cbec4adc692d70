#include "core/model/source_names.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "signet/cat.h"

namespace signet {
namespace {

using Metadata = std::map<std::string, std::string>;

constexpr std::string_view kSource = "source.";
constexpr std::string_view kSavedModel = "savedmodel.";
constexpr std::string_view kSignature = ".signature";

// Calls `use(rest of the key, value)` for the entries whose keys begin with `prefix`.
template <class Use>
void ForEachEntry(const Metadata& metadata, const std::string& prefix, Use use) {
  for (auto it = metadata.lower_bound(prefix);
       it != metadata.end() && it->first.starts_with(prefix); ++it) {
    use(it->first.substr(prefix.size()), it->second);
  }
}

// Returns true if two parameters have the same name in the file. A parameter without a source name
// has its own name there.
bool IsAmbiguous(const FunctionDef& def) {
  absl::flat_hash_set<std::string_view> seen;
  for (const auto& [name, source] : def.source_parameters) {
    const bool is_own =
        def.type.LookupParameter(source) != nullptr && !def.source_parameters.contains(source);
    if (is_own || !seen.insert(source).second) return true;
  }
  return false;
}

void ReadResults(const Metadata& metadata, const std::string& prefix, FunctionDef& def) {
  auto whole = metadata.find(prefix + ".output");
  if (whole != metadata.end()) def.source_results.emplace("", whole->second);
  ForEachEntry(metadata, prefix + ".output.", [&](std::string key, const std::string& source) {
    if (!key.empty()) def.source_results.emplace(std::move(key), source);
  });
}

}  // namespace

void AddSourceNames(ModelDef& model) {
  for (const FunctionDef& def : model.functions) {
    const std::string prefix = Cat(kSource, def.name);
    for (const auto& [parameter, source] : def.source_parameters) {
      model.metadata[Cat(prefix, ".input.", parameter)] = source;
    }
    for (const auto& [key, source] : def.source_results) {
      model.metadata[Cat(prefix, ".output", key.empty() ? "" : ".", key)] = source;
    }
  }
}

void ReadSourceNames(ModelDef& model) {
  for (FunctionDef& def : model.functions) {
    if (def.source_parameters.empty() && def.source_results.empty()) {
      if (model.metadata.empty()) continue;
      for (auto& [parameter, source] : SourceParametersIn(model.metadata, def.name)) {
        if (def.type.LookupParameter(parameter) == nullptr) continue;
        def.source_parameters.emplace(parameter, std::move(source));
      }
      ReadResults(model.metadata, Cat(kSource, def.name), def);
      ReadResults(model.metadata, Cat(kSavedModel, def.name), def);
    }
    if (IsAmbiguous(def)) def.source_parameters.clear();
  }
}

std::map<std::string, std::string> SourceParametersIn(const Metadata& metadata,
                                                      std::string_view function) {
  std::map<std::string, std::string> out;
  for (std::string_view format : {kSource, kSavedModel}) {
    ForEachEntry(metadata, Cat(format, function, ".input."),
                 [&](std::string parameter, const std::string& source) {
                   out.emplace(std::move(parameter), source);
                 });
  }
  return out;
}

std::map<std::string, std::string, std::less<>> SourceFunctions(const ModelDef& model) {
  std::map<std::string, std::string, std::less<>> out;
  ForEachEntry(model.metadata, std::string(kSavedModel),
               [&](std::string_view key, const auto& source) {
                 if (!key.ends_with(kSignature)) return;
                 key.remove_suffix(kSignature.size());
                 if (!source.empty()) out.emplace(source, key);
               });
  return out;
}

const std::string& SourceNameOfFunction(const Metadata& metadata, const std::string& function) {
  if (metadata.empty()) return function;
  auto found = metadata.find(Cat(kSavedModel, function, kSignature));
  return found == metadata.end() ? function : found->second;
}

}  // namespace signet
