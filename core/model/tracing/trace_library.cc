#include "core/model/tracing/trace_library.h"

#include <algorithm>
#include <utility>

#include "core/graph/lower/declared_extension.h"
#include "core/model/complete_model.h"
#include "core/model/extension_type_def.h"
#include "core/model/native/build_model_def.h"
#include "core/ops/catalog.h"

namespace signet {
namespace {

// Returns true if the two are the same bytes, or the same values of the same type.
bool IsSameCapture(const CapturedValue& captured, const Value& value) {
  if (captured.spec() != value.spec()) return false;
  auto known = captured.Get();
  if (!known.ok()) return false;
  const auto& a = known->components();
  const auto& b = value.components();
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return SameTensor(x, y); });
}

constexpr size_t kLargeDefaultBytes = 64;

// Returns true for a default that the text of a model does not contain.
bool IsLargeDefault(const Value& value) {
  return value.spec().is(TypeKind::kTensor) && value.tensor().dtype() != DType::kString &&
         CapturedValue(value).num_bytes() >= kLargeDefaultBytes;
}

}  // namespace

Status TraceLibrary::AddFunction(std::shared_ptr<const TracedFunction> function) {
  const std::string& name = function->def.name;
  auto known = by_name_.find(name);
  if (known != by_name_.end()) {
    if (known->second->source == function) return absl::OkStatus();
    return AlreadyExists("two functions of a model have the name `", name, "`");
  }
  auto entry = std::make_unique<Entry>(Entry{function, function->def});
  for (std::string& capture : entry->def.graph.captures) {
    SIGNET_ASSIGN_OR_RETURN(Value value, function->captures.at(capture).Get());
    capture = AddCapture(capture, std::move(value));
  }
  for (const auto& [parameter, value] : entry->def.defaults) {
    if (!IsLargeDefault(value)) continue;
    auto stated = function->default_names.find(parameter);
    AddCapture(
        stated != function->default_names.end() ? stated->second : Cat(parameter, "_default"),
        value);
  }
  by_name_.emplace(name, entry.get());
  functions_.push_back(std::move(entry));
  return absl::OkStatus();
}

Status TraceLibrary::AddType(const ExtensionType& type) {
  auto def = BuildExtensionType(type);
  if (!def.ok()) return At(PlaceOfType(type.name), def.status());
  SIGNET_RETURN_IF_ERROR(At(PlaceOfType(type.name), types_.Add(std::make_shared<DeclaredExtension>(
                                                        def->declaration, def->functions))));
  type_defs_.push_back(*std::move(def));
  return absl::OkStatus();
}

std::string TraceLibrary::AddCapture(std::string_view name, Value value) {
  std::string free(name);
  for (int count = 2;; ++count) {
    const auto known = captures_.find(free);
    if (known == captures_.end()) break;
    if (IsSameCapture(known->second, value)) return free;
    free = Cat(name, "_", count);
  }
  captures_.emplace(free, std::move(value));
  return free;
}

const OpRegistry& TraceLibrary::ops() const { return BuiltinOps(); }

const FunctionDef* TraceLibrary::Lookup(std::string_view name) const {
  auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : &found->second->def;
}

StatusOr<ModelDef> TraceLibrary::MakeModel(ModelTexts texts) const {
  ModelDef model;
  model.doc = std::move(texts.doc);
  model.metadata = std::move(texts.metadata);
  for (const auto& entry : functions_) {
    model.functions.push_back(entry->def);
    const std::vector<std::string>& batch = entry->source->batch;
    if (!batch.empty()) model.batches.emplace(entry->def.name, batch);
  }
  model.captures = captures_;
  TypeRegistry registry;
  SIGNET_ASSIGN_OR_RETURN(model.extension_types, RegisterTypes(type_defs_, registry));
  SIGNET_RETURN_IF_ERROR(CompleteModel(model, registry, {}));
  return model;
}

}  // namespace signet
