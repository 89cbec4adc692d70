// ModelFacts: what the server says about itself and its models in the Open Inference Protocol.
//
// The answers are messages of gRPC; inference_api.cc writes them as JSON. Thread-safe.

#pragma once

#include <functional>
#include <string>
#include <utility>

#include "inference/inference.pb.h"
#include "server/call/attempts.h"
#include "server/call/await_model.h"
#include "server/call/describe.h"
#include "server/call/serving.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/inference_options.h"

namespace signet {

inference::ServerMetadataResponse ServerFacts(const InferenceOptions& options);

// Returns OK if calls of the model are not rejected. NOT_FOUND if there is no such model.
Status CheckModelReady(const ServerContext& server, const std::string& name,
                       const std::string& version);
// Does the same for a caller that may not know about every model.
Status CheckModelReady(const ServerContext& server, const Access& access, const std::string& name,
                       const std::string& version);
// Checks the model whose settings a client reads; an empty name means the server.
Status CheckModelOfSettings(const ServerContext& server, const Access& access,
                            const std::string& name);

// The name of a model may contain a function (infer_call.h).
StatusOr<inference::ModelMetadataResponse> MetadataOf(const ServerContext& server,
                                                      const std::string& name,
                                                      const std::string& version);
StatusOr<inference::ModelConfigResponse> ConfigOf(const ServerContext& server,
                                                  const std::string& name,
                                                  const std::string& version);

// Returns the statistics of one model, or of all that the caller may describe if `name` is empty.
StatusOr<inference::ModelStatisticsResponse> StatisticsOf(const ServerContext& server,
                                                          const Access& access,
                                                          const std::string& name,
                                                          const std::string& version);

// Returns the models that the caller may list.
inference::RepositoryIndexResponse IndexOf(const ServerContext& server, const Access& access,
                                           bool only_ready);

// Passes the result of `answer` to `done`, once, on a thread for descriptions or with an error.
template <class Response>
void AnswerLater(ServerContext& server, std::function<StatusOr<Response>()> answer,
                 std::function<void(StatusOr<Response>)> done) {
  Status accepted = ScheduleDescription(
      server, [answer = std::move(answer), done] { done(Guarded([&] { return answer(); })); });
  if (!accepted.ok()) done(std::move(accepted));
}

// Does the same for an answer about a model. Loads the model first if it is loaded on demand.
// InferErrorOf makes the errors.
template <class Response>
void AnswerAboutModel(ServerContext& server, const Access& access, const std::string& name,
                      const std::string& version,
                      StatusOr<Response> (*answer)(const ServerContext&, const std::string&,
                                                   const std::string&),
                      std::function<void(StatusOr<Response>)> done) {
  auto finish = [name, version, done = std::move(done)](StatusOr<Response> made) {
    if (!made.ok()) made = InferErrorOf(made.status(), name, version);
    done(std::move(made));
  };
  auto target = ParseInferTarget(name, version);
  if (!target.ok()) return finish(target.status());
  Status permitted = access.Check(Rpc::kGetModel, target->model);
  if (!permitted.ok()) return finish(permitted);
  auto describe = [&server, name, version, answer, finish] {
    AnswerLater<Response>(
        server, [&server, name, version, answer] { return answer(server, name, version); }, finish);
  };
  auto found = server.repository.Find(target->model, target->version);
  if (!IsLoadedOnDemand(found.status())) return describe();
  AwaitModel(
      server, target->model, target->version, "", /*deadline=*/std::nullopt,
      [describe, finish](const Status& loaded) { loaded.ok() ? describe() : finish(loaded); });
}

}  // namespace signet
