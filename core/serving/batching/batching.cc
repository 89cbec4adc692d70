#include "core/serving/batching/batching.h"

#include <algorithm>
#include <utility>

#include "core/serving/batching/batch_settings.h"

namespace signet {
namespace {

template <class A, class B>
bool IsSameOwner(const A& a, const B& b) {
  return !a.owner_before(b) && !b.owner_before(a);
}

}  // namespace

std::vector<bool> BatchParametersOf(const ModelDef& model, const FunctionDef& function) {
  std::vector<bool> has_rows;
  auto batch = model.batches.find(function.name);
  if (batch == model.batches.end()) return has_rows;
  for (const Parameter& parameter : function.type.parameters()) {
    has_rows.push_back(std::find(batch->second.begin(), batch->second.end(), parameter.name) !=
                       batch->second.end());
  }
  return has_rows;
}

std::shared_ptr<Batcher> Batching::BatcherOf(const std::shared_ptr<const LoadedModel>& model,
                                             const PolymorphicFunction& function,
                                             const v1::ModelSettings* settings) {
  if (model->def().batches.empty()) return nullptr;
  const BatchLimits limits =
      settings == nullptr ? BatchLimits() : BatchLimitsOf(settings->batching());
  std::lock_guard lock(mu_);
  auto found = batchers_.find(&function);
  // Another model may have had its functions at the same address.
  if (found != batchers_.end() && IsSameOwner(found->second.model, model) &&
      found->second.limits == limits) {
    return found->second.batcher;
  }
  absl::erase_if(batchers_, [](const auto& entry) { return entry.second.model.expired(); });
  Entry& entry = batchers_[&function];
  entry = {model, limits, nullptr};
  std::vector<bool> has_rows = BatchParametersOf(model->def(), function.def());
  if (has_rows.empty() || !limits.enabled) return nullptr;
  entry.batcher = std::make_shared<Batcher>(function, std::move(has_rows), model->types(), limits,
                                            threads_, model->name(), model->version());
  return entry.batcher;
}

BatchCounts Batching::counts() const {
  std::lock_guard lock(mu_);
  BatchCounts sum;
  for (const auto& [function, entry] : batchers_) {
    if (entry.batcher == nullptr) continue;
    const BatchCounts counts = entry.batcher->counts();
    sum.single_calls += counts.single_calls;
    sum.batches += counts.batches;
    sum.joined_calls += counts.joined_calls;
    sum.joined_rows += counts.joined_rows;
    sum.failed_batches += counts.failed_batches;
    sum.expired_calls += counts.expired_calls;
  }
  return sum;
}

}  // namespace signet
