#include "core/model/loaded_model.h"

#include <utility>

#include "core/base/checked_math.h"
#include "core/base/nearest_name.h"
#include "core/model/source_names.h"
#include "core/ops/catalog.h"

namespace signet {
namespace {

// In addition to their usual limit, concrete functions may hold this number of copies of the
// weights, in other layouts and for several sizes of inputs.
constexpr int64_t kCopiesOfWeights = 4;

int64_t BytesForWeights(const Captures& captures) {
  int64_t bytes = 0;
  for (const auto& [name, capture] : captures) bytes += static_cast<int64_t>(capture.num_bytes());
  return kCopiesOfWeights * bytes;
}

}  // namespace

LoadedModel::LoadedModel(std::string name, int64_t version, ModelDef def,
                         const ModelOptions& options)
    : name_(std::move(name)),
      version_(version),
      def_(std::move(def)),
      options_(options),
      bytes_for_weights_(BytesForWeights(def_.captures)),
      cache_budget_(options.function.cache_budget),
      source_functions_(SourceFunctions(def_)) {
  if (cache_budget_ != nullptr) cache_budget_->Grant(bytes_for_weights_);
  FunctionOptions function_options = options.function;
  function_options.max_function_bytes =
      CheckedAdd(function_options.max_function_bytes, bytes_for_weights_).value_or(INT64_MAX);
  for (const auto& type : options.types) types_.Add(type).IgnoreError();
  for (const ExtensionTypeDef& type : def_.extension_types) {
    types_.Add(std::make_shared<DeclaredExtension>(type.declaration, type.functions)).IgnoreError();
  }
  for (const FunctionDef& function : def_.functions) {
    indices_.emplace(function.name, functions_.size());
    functions_.push_back(std::make_unique<PolymorphicFunction>(function, *this, function_options));
  }
}

LoadedModel::~LoadedModel() {
  functions_.clear();
  if (cache_budget_ != nullptr) cache_budget_->Grant(-bytes_for_weights_);
}

void LoadedModel::CollectCaches() const {
  for (const auto& function : functions_) function->CollectCache();
}

StatusOr<const PolymorphicFunction*> LoadedModel::FindFunction(std::string_view name) const {
  if (auto own = source_functions_.find(name); own != source_functions_.end()) name = own->second;
  auto found = indices_.find(absl::string_view(name.data(), name.size()));
  if (found != indices_.end()) return functions_[found->second].get();
  std::vector<std::string> names;
  for (const FunctionDef& function : def_.functions) {
    if (!IsInternal(function.name)) names.push_back(SourceNameOf(def_, function));
  }
  if (name.empty() && names.size() == 1) return FindFunction(names[0]);
  if (name.empty()) {
    return NotFound("model `", name_,
                    "`: missing name of a function; functions: ", ListNames(std::move(names)));
  }
  auto reason = def_.metadata.find(Cat("unavailable.", name));
  if (reason != def_.metadata.end()) {
    return Unimplemented("model `", name_, "`: function `", Printable(name),
                         "` is not available: ", reason->second);
  }
  const std::string hint = NearestHint(name, names);
  return NotFound("model `", name_, "`: function `", Printable(name), "` not found", hint,
                  "; functions: ", ListNames(std::move(names)));
}

Status LoadedModel::CheckBodies() {
  for (const auto& function : functions_) {
    SIGNET_RETURN_IF_ERROR(At(Cat("function `", function->def().name, "`"), function->CheckBody()));
  }
  return absl::OkStatus();
}

StatusOr<AdoptedFunctions> LoadedModel::AdoptFunctions(const LoadedModel& old) {
  // Calls of `old` may add functions meanwhile. The second pass finds most of them; a function that
  // is added after it is specialized at its next call.
  constexpr int kPasses = 2;
  AdoptedFunctions counts;
  for (size_t i = 0; i < functions_.size(); ++i) {
    const std::string& name = functions_[i]->def().name;
    auto before = old.indices_.find(name);
    if (before == old.indices_.end()) return Internal("function `", name, "` not found");
    SIGNET_RETURN_IF_ERROR(At(Cat("function `", name, "`"),
                              functions_[i]->AdoptBodyCheck(*old.functions_[before->second])));
  }
  std::vector<Adoption> adoptions(functions_.size());
  for (int pass = 0; pass < kPasses; ++pass) {
    for (size_t i = 0; i < functions_.size(); ++i) {
      const size_t before = old.indices_.at(functions_[i]->def().name);
      functions_[i]->AdoptFunctions(*old.functions_[before], adoptions[i], counts);
    }
  }
  return counts;
}

Status LoadedModel::CheckIntact() const {
  for (const auto& file : def_.captures_files) {
    if (!file->is_damaged()) continue;
    return DataLoss(
        "a file of captures was truncated while the model was served; restore the file, which the "
        "server then loads again");
  }
  return absl::OkStatus();
}

const OpRegistry& LoadedModel::ops() const { return BuiltinOps(); }

const FunctionDef* LoadedModel::Lookup(std::string_view name) const {
  auto found = indices_.find(absl::string_view(name.data(), name.size()));
  return found == indices_.end() ? nullptr : &def_.functions[found->second];
}

}  // namespace signet
