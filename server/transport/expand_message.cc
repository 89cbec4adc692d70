#include "server/transport/expand_message.h"

#include <optional>
#include <string>
#include <utility>

#include <grpcpp/support/proto_buffer_reader.h>

#include "server/transport/byte_buffers.h"
#include "server/transport/compression.h"

namespace signet {
namespace {

// Of the C++ API of gRPC, only a reader gives access to how the bytes of a message are compressed.
class CompressionReader : public grpc::ProtoBufferReader {
 public:
  using grpc::ProtoBufferReader::ProtoBufferReader;
  grpc_compression_algorithm compression() {
    return status().ok() ? reader()->buffer_in->data.raw.compression : GRPC_COMPRESS_NONE;
  }
};

}  // namespace

Status MessageExpander::Expand(const grpc::ByteBuffer& received) const {
  auto& message = const_cast<grpc::ByteBuffer&>(received);
  if (!message.Valid()) {
    return InvalidArgument("expected one message, found none, or fewer bytes than it states");
  }
  const grpc_compression_algorithm algorithm = CompressionReader(&message).compression();
  if (algorithm == GRPC_COMPRESS_NONE) return absl::OkStatus();
  std::string text;
  text.reserve(message.Length());
  for (const auto piece : MessageOf(message).pieces) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  message.Clear();
  const Compression compression =
      algorithm == GRPC_COMPRESS_GZIP ? Compression::kGzip : Compression::kDeflate;
  auto expanded = signet::Expand(compression, text, message_bytes_);
  if (!expanded.ok()) return At("message", expanded.status());
  std::optional<Buffer> reserved = Reserve(budget_, *std::move(expanded));
  if (!reserved) {
    return ResourceExhausted(
        "other compressed messages use all memory for requests (--max_received_bytes); try again");
  }
  message = ByteBufferOf(wire::Pieces{*std::move(reserved)});
  return absl::OkStatus();
}

}  // namespace signet
