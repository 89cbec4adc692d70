#include "client/lib/admin_client.h"

#include <fstream>
#include <string>

#include <grpcpp/channel.h>
#include <grpcpp/client_context.h>

#include "signet/v1/admin.grpc.pb.h"

namespace signet {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 20;

using Stub = v1::AdminService::Stub;

template <class Response, class Request>
StatusOr<Response> Invoke(ServiceClient& client,
                          grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&,
                                                       Response*),
                          const Request& request) {
  Response response;
  SIGNET_RETURN_IF_ERROR(client.Invoke(
      [&](const std::shared_ptr<grpc::Channel>& channel, grpc::ClientContext& context) {
        Stub stub(channel);
        return (stub.*method)(&context, request, &response);
      }));
  return response;
}

}  // namespace

StatusOr<v1::ChangeResponse> AdminClient::Load(const v1::LoadRequest& request) {
  return Invoke(client_, &Stub::Load, request);
}

StatusOr<v1::ChangeResponse> AdminClient::Unload(const v1::UnloadRequest& request) {
  return Invoke(client_, &Stub::Unload, request);
}

StatusOr<v1::ChangeResponse> AdminClient::Reload(const v1::ReloadRequest& request) {
  return Invoke(client_, &Stub::Reload, request);
}

StatusOr<v1::ChangeResponse> AdminClient::SetLabel(const v1::SetLabelRequest& request) {
  return Invoke(client_, &Stub::SetLabel, request);
}

StatusOr<v1::ChangeResponse> AdminClient::RemoveLabel(const v1::RemoveLabelRequest& request) {
  return Invoke(client_, &Stub::RemoveLabel, request);
}

StatusOr<v1::ReplaceCapturesResponse> AdminClient::ReplaceCaptures(
    const v1::ReplaceCapturesRequest::Start& start, const std::filesystem::path& file) {
  std::ifstream input;
  if (start.file().empty()) {
    input.open(file, std::ios::binary);
    if (!input) return NotFound("cannot read `", Printable(file.string()), "`");
  }
  v1::ReplaceCapturesResponse response;
  bool is_read = true;
  Status status = client_.Invoke([&](const std::shared_ptr<grpc::Channel>& channel,
                                     grpc::ClientContext& context) {
    Stub stub(channel);
    auto writer = stub.ReplaceCaptures(&context, &response);
    v1::ReplaceCapturesRequest message;
    *message.mutable_start() = start;
    // If a write fails, the server has ended the call, and Finish returns its error.
    bool is_open = writer->Write(message);
    std::string chunk(kChunkBytes, '\0');
    while (is_open && start.file().empty() && input.peek() != std::ifstream::traits_type::eof()) {
      input.read(chunk.data(), static_cast<std::streamsize>(chunk.size()));
      message.set_chunk(chunk.data(), static_cast<size_t>(input.gcount()));
      is_open = writer->Write(message);
    }
    is_read = !input.bad();
    if (!is_read) context.TryCancel();
    writer->WritesDone();
    return writer->Finish();
  });
  if (!is_read) return NotFound("cannot read `", Printable(file.string()), "`");
  SIGNET_RETURN_IF_ERROR(status);
  return response;
}

StatusOr<v1::StatusResponse> AdminClient::GetStatus(const std::string& model) {
  v1::StatusRequest request;
  request.set_model(model);
  return Invoke(client_, &Stub::Status, request);
}

StatusOr<v1::DrainResponse> AdminClient::Drain(bool dry_run) {
  v1::DrainRequest request;
  request.set_dry_run(dry_run);
  return Invoke(client_, &Stub::Drain, request);
}

}  // namespace signet
