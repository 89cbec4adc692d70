// Wire: signet.v1 messages to and from types and values (proto/signet/v1/*.proto).
//
// Types, signatures and small messages go through protobuf's generated classes. Values do not: they
// are read from the received bytes where these lie, so that a tensor's content is borrowed, not
// copied, when it lies in one piece and aligned; and written as pieces that borrow the tensors'
// buffers. A door: everything is checked against `limits`, sizes before memory. Stateless;
// thread-safe.

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

// A received message: pieces of bytes, in order, and what keeps them alive. Without an owner, all
// that is kept of it is copied.
struct Message {
  std::vector<std::span<const std::byte>> pieces;
  std::shared_ptr<const void> owner;
};

// A message to send: pieces in order; each owns or borrows its bytes.
using Pieces = std::vector<Buffer>;

// Where the refusal of an argument says that it stands.
struct ArgumentPlace {
  std::string function = {};  // `recipes/3.score`; may be empty
  std::string argument;       // `args[0]`, or `recipe`
};
// Finds it for a call as far as it was read: for the argument called `keyword`, else for the last
// one by position. Asked only when an argument is refused.
using ArgumentPlaces =
    absl::FunctionRef<ArgumentPlace(const CallRequest& read, const std::string* keyword)>;
// What the call alone says: `args[0]`, or the keyword.
ArgumentPlace PlaceInCall(const CallRequest& read, const std::string* keyword);

// FieldOf a refusal is the path of the argument at fault: `args[0].ids`, or `recipe.ids`.
StatusOr<CallRequest> ParseCallRequest(const Message& message, const Limits& limits,
                                       ArgumentPlaces places = PlaceInCall);

// A CallStreamRequest. Its id is there even when its call is refused.
struct StreamRequest {
  uint64_t id = 0;
  StatusOr<CallRequest> call = CallRequest();
};
StatusOr<StreamRequest> ParseStreamRequest(const Message& message, const Limits& limits,
                                           ArgumentPlaces places = PlaceInCall);

// A CallResponse, and one wrapped in a CallStreamResponse.
Pieces WriteCallResponse(const CallResult& result, int64_t model_version);
Pieces WriteStreamResponse(uint64_t id, const CallResult& result, int64_t model_version);

// Returns an error if the messages of a response with a value of type `spec` are nested too deep
// for protobuf clients, which parse at most 100 messages within one another.
Status CheckMessageDepth(const TypeSpec& spec);

// A Value message by itself.
StatusOr<Value> ParseValue(const Message& message, const Limits& limits);
StatusOr<Value> ParseValue(std::string_view bytes, const Limits& limits);  // copies what it keeps
Pieces WriteValue(const Value& value);
StatusOr<Value> ValueFromProto(const v1::Value& proto, const Limits& limits);
v1::Value ValueToProto(const Value& value);

StatusOr<TypeSpec> TypeFromProto(const v1::TypeSpec& proto, const Limits& limits);
v1::TypeSpec TypeToProto(const TypeSpec& spec);
StatusOr<FunctionType> FunctionTypeFromProto(const v1::FunctionType& proto, const Limits& limits);
// The same for the type of a call, whose parameters may have equal names and names of any text.
StatusOr<FunctionType> CallTypeFromProto(const v1::FunctionType& proto, const Limits& limits);
v1::FunctionType FunctionTypeToProto(const FunctionType& type);

}  // namespace signet::wire
