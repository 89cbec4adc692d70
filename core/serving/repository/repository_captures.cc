// The part of Repository that replaces the captures of a version.

#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "core/serving/batching/verify_batches.h"
#include "core/serving/repository/repository.h"
#include "core/serving/repository/thread_priority.h"

namespace signet {

StatusOr<ReplacedCaptures> ReplaceVerifiedCaptures(const std::shared_ptr<const LoadedModel>& old,
                                                   const std::filesystem::path& captures) {
  SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures replaced, ReplaceCaptures(old, captures));
  if (!replaced.changed) return replaced;
  const LoadedModel& model = *replaced.model;
  SIGNET_RETURN_IF_ERROR(VerifyBatches(model, model.def().files->folder, model.options().limits));
  return replaced;
}

StatusOr<ReplacedCaptures> Repository::ReplaceCaptures(const Model& expected,
                                                       const std::filesystem::path& captures,
                                                       const std::function<Status()>& persist) {
  // The old captures stay in memory until the calls that use them have ended.
  std::error_code error;
  const auto size = static_cast<int64_t>(std::filesystem::file_size(captures, error));
  const int64_t bytes = error ? 0 : size;
  SIGNET_RETURN_IF_ERROR(Reserve("the new captures require", bytes));
  const auto release = [&](void*) {
    std::lock_guard lock(mu_);
    memory_bytes_ -= bytes;
  };
  const std::unique_ptr<void, decltype(release)> reservation(this, release);
  StatusOr<ReplacedCaptures> replaced = Status(absl::StatusCode::kInternal, "");
  std::thread worker([&] {
    LowerPriority();
    try {
      replaced = ReplaceVerifiedCaptures(expected, captures);
      if (!replaced.ok() || !replaced->changed || !options_.warm_up) return;
      auto status = StatusOf(expected->name());
      const v1::ModelSettings settings =
          status && status->settings ? status->settings->settings : v1::ModelSettings();
      Status warm = At("warm-up", options_.warm_up(replaced->model, expected->def().files->folder,
                                                   settings, stopping_));
      if (!warm.ok()) replaced = std::move(warm);
    } catch (const std::bad_alloc&) {
      replaced = ResourceExhausted("out of memory");
    } catch (const std::exception&) {
      replaced = Internal("the replacement stopped unexpectedly");
    }
  });
  worker.join();
  SIGNET_RETURN_IF_ERROR(replaced.status());
  if (persist) SIGNET_RETURN_IF_ERROR(persist());
  if (replaced->changed) SIGNET_RETURN_IF_ERROR(Replace(expected, replaced->model));
  return replaced;
}

}  // namespace signet
