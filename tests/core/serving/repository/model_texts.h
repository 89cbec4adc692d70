// Texts of models for tests of the repository.

#pragma once

#include <chrono>
#include <functional>
#include <future>
#include <string>
#include <thread>

#include "core/serving/repository/repository.h"
#include "signet/cat.h"

namespace signet {

// Returns the text of a model whose function `f(x)` returns x + `added`.
inline std::string ModelThatAdds(int added) {
  return Cat("def f(x: int64[]):\n    return x + ", added, "\n");
}

// Calls `f(0)` of a model.
inline StatusOr<int64_t> CallF(const LoadedModel& model) {
  SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* f, model.FindFunction("f"));
  SIGNET_ASSIGN_OR_RETURN(Value y, f->Call({{Tensor::Scalar(int64_t{0})}, {}}, {}));
  return y.tensor().elements<int64_t>()[0];
}

// Waits until `condition` holds, at most a minute.
inline bool WaitFor(const std::function<bool()>& condition) {
  auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

// Examines the directories twice, and waits until that has ended.
inline Status Rescan(Repository& repository) {
  std::promise<Status> scanned;
  repository.Rescan([&](Status status) { scanned.set_value(std::move(status)); });
  return scanned.get_future().get();
}

// Replaces the captures of a version, and waits until that has ended.
inline StatusOr<ReplacedCaptures> ReplaceCapturesOf(
    Repository& repository, const std::shared_ptr<const LoadedModel>& expected,
    const std::filesystem::path& captures, std::function<Status()> persist = nullptr) {
  std::promise<StatusOr<ReplacedCaptures>> replaced;
  repository.ReplaceCaptures(
      expected, captures, std::move(persist),
      [&](StatusOr<ReplacedCaptures> outcome) { replaced.set_value(std::move(outcome)); });
  return replaced.get_future().get();
}

// Returns the status of a version, or nothing if it is not listed.
inline std::optional<VersionStatus> VersionOf(const Repository& repository, std::string_view model,
                                              int64_t version) {
  auto status = repository.StatusOf(model);
  if (!status) return std::nullopt;
  for (const VersionStatus& each : status->versions) {
    if (each.version == version) return each;
  }
  return std::nullopt;
}

inline bool IsInState(const Repository& repository, std::string_view model, int64_t version,
                      VersionStatus::State state) {
  auto status = VersionOf(repository, model, version);
  return status && status->state == state;
}

}  // namespace signet
