// ModelService: implements tensorflow.serving.ModelService.
//
// HandleReloadConfigRequest states all models that are served, their versions, and their labels:
//
//   1. The models are those in the directories of the server. Every model of the request must be
//      one of them, by its name. base_path is empty or the directory of the model;
//      model_platform is not read.
//   2. The versions that the policy of a model selects are loaded, and its others are unloaded.
//      Without a policy, the newest version is selected.
//   3. A model gets the labels of the request.
//   4. Models that the request does not have are unloaded.
//
// A request with an error in rules 1 to 3 changes nothing. It requires the permission for
// administration, and a server with AdminService on the same address. One such request runs at a
// time, on a thread of its own, because it waits for loads. Thread-safe.

#pragma once

#include <mutex>
#include <thread>

#include "server/call/serving.h"
#include "tensorflow_serving/model_service.grpc.pb.h"

namespace signet::tf {

class ModelService final : public ::tensorflow::serving::ModelService::CallbackService {
 public:
  // With `administers`, HandleReloadConfigRequest is served.
  ModelService(ServerContext& server, bool administers)
      : server_(server), administers_(administers) {}
  ~ModelService() override;  // waits for the request that is running

 private:
  grpc::ServerUnaryReactor* GetModelStatus(
      grpc::CallbackServerContext* context,
      const ::tensorflow::serving::GetModelStatusRequest* request,
      ::tensorflow::serving::GetModelStatusResponse* response) override;
  grpc::ServerUnaryReactor* HandleReloadConfigRequest(
      grpc::CallbackServerContext* context,
      const ::tensorflow::serving::ReloadConfigRequest* request,
      ::tensorflow::serving::ReloadConfigResponse* response) override;

  // Returns an error if the caller may not reload, or if another request is running.
  Status BeginReload(const grpc::CallbackServerContext& context);

  ServerContext& server_;
  const bool administers_;
  std::mutex mu_;
  bool is_reloading_ = false;  // guarded by mu_
  std::thread thread_;         // of the last reload; guarded by mu_
};

}  // namespace signet::tf
