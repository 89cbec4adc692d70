// Wire: converts between signet.v1 messages and types and values (proto/signet/v1/*.proto).
//
// Types, signatures, and small messages use the generated classes of protobuf. Values are read
// directly from the received bytes: the content of a tensor is borrowed, not copied, if it is in
// one piece and aligned. Values are written as pieces that borrow the buffers of the tensors. The
// bytes are untrusted: everything is checked against `limits`, and sizes are checked before memory
// is allocated. Stateless; thread-safe.

#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "signet/function_type.h"
#include "signet/status.h"
#include "signet/v1/functions.pb.h"
#include "signet/v1/types.pb.h"
#include "signet/v1/values.pb.h"
#include "signet/value.h"

namespace signet::wire {

// A received message: pieces of bytes, in order, and their owner. Without an owner, values copy
// what they keep.
struct Message {
  std::vector<std::span<const std::byte>> pieces;
  std::shared_ptr<const void> owner;
};

// A message to send: pieces in order, each of which owns or borrows its bytes.
using Pieces = std::vector<Buffer>;

// The place of an argument in an error.
struct ArgumentPlace {
  std::string function = {};  // `recipes/3.score`; may be empty
  std::string argument;       // `args[0]`, or `recipe`
};
// Returns the place of an argument in a call that has been read so far: the argument called
// `keyword`, or the last positional one if `keyword` is null. Called only to report an error.
using ArgumentPlaces =
    absl::FunctionRef<ArgumentPlace(const CallRequest& read, const std::string* keyword)>;
// Returns the place without a function: `args[0]`, or the keyword.
ArgumentPlace PlaceInCall(const CallRequest& read, const std::string* keyword);

// FieldOf an error is the path of the argument at fault: `args[0].ids`, or `recipe.ids`.
StatusOr<CallRequest> ParseCallRequest(const Message& message, const Limits& limits,
                                       ArgumentPlaces places = PlaceInCall);

// A CallStreamRequest. The id is set even if its call is rejected.
struct StreamRequest {
  uint64_t id = 0;
  StatusOr<CallRequest> call = CallRequest();
};
StatusOr<StreamRequest> ParseStreamRequest(const Message& message, const Limits& limits,
                                           ArgumentPlaces places = PlaceInCall);

// What a server needs to know about a large request before it is parsed. Values are skipped, and
// faults in them are not found.
struct RequestHead {
  uint64_t id = 0;    // of a CallStreamRequest
  std::string model;  // as the client wrote it; empty if it is absent
};
RequestHead ParseCallHead(const Message& message, const Limits& limits);
RequestHead ParseStreamHead(const Message& message, const Limits& limits);

// Writes a CallResponse, or a CallResponse in a CallStreamResponse.
Pieces WriteCallResponse(const CallResult& result, int64_t model_version);
Pieces WriteStreamResponse(uint64_t id, const CallResult& result, int64_t model_version);

// Returns an error if the messages of a response with a value of type `spec` are nested too deep
// for protobuf clients, which parse at most 100 messages within one another.
Status CheckMessageDepth(const TypeSpec& spec);

// Parses a Value message.
StatusOr<Value> ParseValue(const Message& message, const Limits& limits);
StatusOr<Value> ParseValue(std::string_view bytes, const Limits& limits);  // copies what it keeps
Pieces WriteValue(const Value& value);
StatusOr<Value> ValueFromProto(const v1::Value& proto, const Limits& limits);
v1::Value ValueToProto(const Value& value);

StatusOr<TypeSpec> TypeFromProto(const v1::TypeSpec& proto, const Limits& limits);
v1::TypeSpec TypeToProto(const TypeSpec& spec);
StatusOr<FunctionType> FunctionTypeFromProto(const v1::FunctionType& proto, const Limits& limits);
// Does the same for the type of a call, whose parameters may have equal names and names of any
// text.
StatusOr<FunctionType> CallTypeFromProto(const v1::FunctionType& proto, const Limits& limits);
v1::FunctionType FunctionTypeToProto(const FunctionType& type);

}  // namespace signet::wire
