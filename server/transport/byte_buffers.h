// Byte buffers: gRPC's messages to and from the core's, without copying tensors.
//
// Received: the pieces are the very slices that gRPC received, kept alive by the message's owner.
// Sent: large pieces are borrowed by slices, which hold the buffers until they are on the wire;
// small ones are copied next to each other. Stateless; thread-safe.

#pragma once

#include <memory>

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include "core/formats/signet_wire/wire.h"

namespace signet {

wire::Message MessageOf(const grpc::ByteBuffer& buffer);
// Keeps `held` until gRPC has sent the bytes.
grpc::ByteBuffer ByteBufferOf(wire::Pieces pieces, std::shared_ptr<void> held = nullptr);
grpc::ByteBuffer ByteBufferOf(const google::protobuf::MessageLite& message);
// Bytes of all pieces.
size_t SizeOf(const wire::Pieces& pieces);

}  // namespace signet
