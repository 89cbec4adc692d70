// Batching: the batchers of a server, one per function that declares a batch.
//
//   Batching batching({.schedule = ..., .num_threads = 8});
//   auto batcher = batching.BatcherOf(model, function);  // null: calls of `function` are not
//   joined
//
// A batcher is made at the first call of its function, and dropped after its model is unloaded.
// Thread-safe. Batchers must not be used after the destructor.

#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/model/loaded_model.h"
#include "core/serving/batching/batcher.h"
#include "signet/v1/settings.pb.h"

namespace signet {

class Batching {
 public:
  explicit Batching(BatchThreads threads) : threads_(std::move(threads)) {}
  Batching(const Batching&) = delete;
  Batching& operator=(const Batching&) = delete;

  // Returns null unless the model declares a batch for `function`, which is one of its functions,
  // or if the settings of the model disable batching. After a change of the settings, calls get
  // another batcher; calls that wait in the previous one keep its limits.
  std::shared_ptr<Batcher> BatcherOf(const std::shared_ptr<const LoadedModel>& model,
                                     const PolymorphicFunction& function,
                                     const v1::ModelSettings* settings = nullptr);

  // Returns the sums over all functions whose models are loaded.
  BatchCounts counts() const;

 private:
  struct Entry {
    std::weak_ptr<const LoadedModel> model;
    BatchLimits limits;
    std::shared_ptr<Batcher> batcher;  // null: disabled
  };

  const BatchThreads threads_;
  mutable std::mutex mu_;
  absl::flat_hash_map<const PolymorphicFunction*, Entry> batchers_;  // guarded by mu_
};

// Returns for each parameter of `function` whether `model` declares that it contains rows. Empty if
// the function declares no batch.
std::vector<bool> BatchParametersOf(const ModelDef& model, const FunctionDef& function);

}  // namespace signet
