// AdminClient: calls signet.v1.AdminService of a server.
//
//   AdminClient admin(client);
//   auto loaded = admin.Load("recipes", 3, {});
//   auto replaced = admin.ReplaceCaptures(start, "captures.safetensors");
//
// Errors are those of ServiceClient. Not thread-safe.

#pragma once

#include <filesystem>
#include <utility>

#include "client/lib/service_client.h"
#include "signet/v1/admin.pb.h"

namespace signet {

class AdminClient {
 public:
  explicit AdminClient(ServiceClient client) : client_(std::move(client)) {}

  StatusOr<v1::ChangeResponse> Load(const v1::LoadRequest& request);
  StatusOr<v1::ChangeResponse> Unload(const v1::UnloadRequest& request);
  StatusOr<v1::ChangeResponse> Reload(const v1::ReloadRequest& request);
  StatusOr<v1::ChangeResponse> SetLabel(const v1::SetLabelRequest& request);
  StatusOr<v1::ChangeResponse> RemoveLabel(const v1::RemoveLabelRequest& request);
  // Sends the bytes of `file`, which is not read if `start` names a file of the server. NOT_FOUND
  // if it cannot be read.
  StatusOr<v1::ReplaceCapturesResponse> ReplaceCaptures(
      const v1::ReplaceCapturesRequest::Start& start, const std::filesystem::path& file);
  // The details of one model, or of all if `model` is empty.
  StatusOr<v1::StatusResponse> GetStatus(const std::string& model);
  StatusOr<v1::DrainResponse> Drain(bool dry_run);

 private:
  ServiceClient client_;
};

}  // namespace signet
