#include "server/transport/expand_message.h"

#include <optional>
#include <string>
#include <utility>

#include <grpc/byte_buffer_reader.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "server/received/compression.h"
#include "server/transport/byte_buffers.h"

namespace signet {
namespace {

// Returns how the bytes of `message` are compressed.
grpc_compression_algorithm CompressionOf(grpc::ByteBuffer& message) {
  if (!message.Valid()) return GRPC_COMPRESS_NONE;
  grpc::ProtoBufferReader reader(&message);
  if (!reader.status().ok()) return GRPC_COMPRESS_NONE;
  return reader.reader()->buffer_in->data.raw.compression;
}

}  // namespace

Status MessageExpander::Expand(const grpc::ByteBuffer& received) const {
  auto& message = const_cast<grpc::ByteBuffer&>(received);
  const grpc_compression_algorithm algorithm = CompressionOf(message);
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
