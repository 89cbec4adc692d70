// OtlpConnection: the connection to an OpenTelemetry collector, with TLS and headers.
//
//   SIGNET_ASSIGN_OR_RETURN(auto connection, OtlpConnection::Open(options));
//   connection->AddHeaders(context);
//   connection->traces().Export(&context, request, &response);
//
// The file of headers has one header per line, such as `authorization: Bearer TOKEN`. Empty lines
// and lines that begin with `#` are skipped. It is read again for each request, so that a token can
// be replaced; if it is wrong then, the previous headers remain in use. Errors do not contain the
// values of headers. One thread uses it at a time.

#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <grpcpp/client_context.h>

#include "opentelemetry/proto/collector/trace/v1/trace_service.grpc.pb.h"
#include "server/observability/observability_options.h"
#include "signet/status.h"

namespace signet {

// The names and the values of headers.
using OtlpHeaders = std::vector<std::pair<std::string, std::string>>;

// Parses the content of a file of headers. Returns INVALID_ARGUMENT with the line that is wrong.
StatusOr<OtlpHeaders> ParseOtlpHeaders(std::string_view text);

class OtlpConnection {
 public:
  // Reads the files. Connects when it is first used. Returns FAILED_PRECONDITION if a file cannot
  // be read or is wrong.
  static StatusOr<std::unique_ptr<OtlpConnection>> Open(const OtlpOptions& options);

  void AddHeaders(grpc::ClientContext& context);
  opentelemetry::proto::collector::trace::v1::TraceService::Stub& traces() { return *traces_; }

 private:
  OtlpConnection() = default;

  std::filesystem::path headers_file_;
  OtlpHeaders headers_;
  std::unique_ptr<opentelemetry::proto::collector::trace::v1::TraceService::Stub> traces_;
};

}  // namespace signet
