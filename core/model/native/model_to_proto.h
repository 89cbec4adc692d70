// ModelToProto: writes any model as the message of the native form.
//
//   node 0 `x.amount` = struct_get(parameter x, field="amount")
//   node 1 `y` = mul(node 0, literal 2.0)
//   =>  nodes { name: "y" op: "mul" inputs: "x.amount" inputs: "2.0" }   result: "y"
//
// Reading the message (ModelDefFromProto) returns a model with the same functions. Stateless;
// thread-safe.

#pragma once

#include <string>

#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

struct WrittenModel {
  v1::Model proto;    // without captures
  Captures captures;  // of the model, and large defaults and literals
};

// Values of captures are shared with `model`. UNIMPLEMENTED for a graph that references cannot
// state.
StatusOr<WrittenModel> ModelToProto(const ModelDef& model);

// Returns the serialized FileDescriptorSet of all messages, as protoc writes it.
std::string DescriptorSetOf(const ProtobufSchema& schema);

}  // namespace signet
