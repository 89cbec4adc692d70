// WarmUpModel: makes the calls that a version of a model must pass before it is published.
//
//   RepositoryOptions options;
//   options.warm_up = WarmUpWith(limits);
//
// A warm-up runs the examples of the functions, and the calls of a file of recorded requests
// (proto/signet/v1/recorded.proto) in the directory of the version. It makes the concrete functions
// that the first calls need. An example that names a file outside the directory of the version is
// skipped: it is meant for the command line. Stateless; thread-safe.

#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "core/formats/common/limits.h"
#include "core/serving/call/bind.h"
#include "core/serving/examples/argument_words.h"
#include "core/serving/repository/repository.h"
#include "signet/v1/settings.pb.h"

namespace signet {

inline constexpr char kWarmUpReason[] = "WARM_UP_FAILED";

// Returns the request that an example of the function `function` makes, such as
// `'[1, 2]' scale=3`. `read` reads the files that the example names.
StatusOr<CallRequest> ParseExample(const std::string& model, const std::string& function,
                                   const std::string& example, const ReadText& read);

// Makes the calls that `settings` select. Returns the first failure, with its place:
//   function `score`: example `[1]`: missing argument for parameter `user`
//   warm_up.bin: request 3: ...
// Returns CANCELLED if `cancelled` becomes true.
Status WarmUpModel(const std::shared_ptr<const LoadedModel>& model,
                   const std::filesystem::path& folder, const v1::WarmUp& settings,
                   const Limits& limits, const std::atomic<bool>& cancelled);

// Returns WarmUpModel as RepositoryOptions.warm_up.
decltype(RepositoryOptions::warm_up) WarmUpWith(const Limits& limits);

}  // namespace signet
