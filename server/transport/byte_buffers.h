// MessageOf, ByteBufferOf: convert gRPC's byte buffers to and from messages, without copying
// tensors.
//
// The pieces of a received message are the slices that gRPC received, which the owner of the
// message keeps alive. In a sent message, a large piece is borrowed by a slice, which keeps the
// piece until gRPC has sent it; adjacent small pieces are copied into one slice. Thread-safe.

#pragma once

#include <memory>

#include <google/protobuf/message_lite.h>
#include <grpcpp/support/byte_buffer.h>

#include "core/formats/signet_wire/wire.h"

namespace signet {

// Returns a message whose pieces refer to the slices of `buffer`.
wire::Message MessageOf(const grpc::ByteBuffer& buffer);
// Returns the bytes of `pieces`, and keeps `held` until gRPC has sent them.
grpc::ByteBuffer ByteBufferOf(wire::Pieces pieces, std::shared_ptr<void> held = nullptr);
// Returns the serialized `message`.
grpc::ByteBuffer ByteBufferOf(const google::protobuf::MessageLite& message);
// Returns the total size of all pieces, in bytes.
size_t SizeOf(const wire::Pieces& pieces);

}  // namespace signet
