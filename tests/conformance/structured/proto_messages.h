// ProtoMessages: schemas and messages of proto_batch.json, as NOTATION.md writes them, made into
// descriptors and wire bytes by protobuf's own classes.
//
// What the notation does not allow is thrown as std::runtime_error.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/protobuf/protobuf_schema.h"

namespace signet::vectors {

// A serialised FileDescriptorSet of `schema`.
std::string DescriptorSetOf(const nlohmann::ordered_json& schema);

// The messages of `inputs`, serialised: from JSON, or written in hexadecimal. Refuses unknown
// fields and two members of one oneof.
StatusOr<std::vector<std::string>> RowsOf(const nlohmann::ordered_json& inputs,
                                          const ProtobufSchema& schema,
                                          const std::string& message_type);

}  // namespace signet::vectors
