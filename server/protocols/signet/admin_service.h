// AdminService: implements signet.v1.AdminService with gRPC's synchronous API.
//
// Each call runs on a thread of its own, because calls are rare and wait for loads. At most
// kMaxCalls run at a time; further calls are rejected with RESOURCE_EXHAUSTED. Calls that wait end
// when the client cancels them or the server drains. Every call is logged, with its peer.
// Thread-safe.

#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "server/call/serving.h"
#include "signet/v1/admin.grpc.pb.h"

namespace signet {

class StallWatch;

struct AdminServiceOptions {
  std::vector<std::filesystem::path> roots = {};  // of models, for ReplaceCaptures.file
  // Directory for captures that are received and not persisted.
  std::filesystem::path upload_directory;
  std::function<void()> drain;  // starts to drain the server; called at most once
};

class AdminService final : public v1::AdminService::Service {
 public:
  static constexpr int kMaxCalls = 16;

  AdminService(ServerContext& server, AdminServiceOptions options)
      : server_(server), options_(std::move(options)) {}

  grpc::Status Load(grpc::ServerContext* context, const v1::LoadRequest* request,
                    v1::ChangeResponse* response) override;
  grpc::Status Unload(grpc::ServerContext* context, const v1::UnloadRequest* request,
                      v1::ChangeResponse* response) override;
  grpc::Status Reload(grpc::ServerContext* context, const v1::ReloadRequest* request,
                      v1::ChangeResponse* response) override;
  grpc::Status SetLabel(grpc::ServerContext* context, const v1::SetLabelRequest* request,
                        v1::ChangeResponse* response) override;
  grpc::Status RemoveLabel(grpc::ServerContext* context, const v1::RemoveLabelRequest* request,
                           v1::ChangeResponse* response) override;
  grpc::Status ReplaceCaptures(grpc::ServerContext* context,
                               grpc::ServerReader<v1::ReplaceCapturesRequest>* reader,
                               v1::ReplaceCapturesResponse* response) override;
  grpc::Status Status(grpc::ServerContext* context, const v1::StatusRequest* request,
                      v1::StatusResponse* response) override;
  grpc::Status Drain(grpc::ServerContext* context, const v1::DrainRequest* request,
                     v1::DrainResponse* response) override;

 private:
  // The name that a client gave the captures of a model. The model is compared, but not kept.
  struct Revision {
    std::weak_ptr<const LoadedModel> model;
    std::string name;
  };

  // Authorizes, counts, and logs a call of `rpc` on `model`, and performs it. `call` may set
  // `model`.
  grpc::Status Perform(const char* rpc, const std::string& model, grpc::ServerContext& context,
                       const std::function<signet::Status()>& call);
  // Starts an operation that calls its argument when it is done. With `waits`, waits until then;
  // otherwise, returns OK if the operation is not done yet.
  using Operation = std::function<void(std::function<void(signet::Status)>)>;
  signet::Status Run(const grpc::ServerContext& context, const Operation& start, bool waits) const;

  signet::Status ReplaceCapturesFrom(const v1::ReplaceCapturesRequest::Start& start,
                                     grpc::ServerReader<v1::ReplaceCapturesRequest>& reader,
                                     StallWatch& watch, v1::ReplaceCapturesResponse& response);
  StatusOr<std::filesystem::path> FindFile(const std::string& name) const;
  v1::ModelDetails DetailsOf(const ModelStatus& status) const;

  std::string RevisionOf(const std::shared_ptr<const LoadedModel>& model) const;
  void SetRevision(const std::shared_ptr<const LoadedModel>& model, const std::string& name);

  ServerContext& server_;
  const AdminServiceOptions options_;
  std::atomic<int> num_calls_{0};
  std::atomic<bool> is_drain_requested_{false};
  std::mutex replacing_;  // held by ReplaceCaptures while it makes a model
  mutable std::mutex mu_;
  std::map<std::pair<std::string, int64_t>, Revision> revisions_;  // guarded by mu_
};

}  // namespace signet
