// DescriptorSetOf, RowsOf: convert schemas and messages of proto_batch.json (NOTATION.md) to
// descriptors and serialized messages, with the classes of protobuf.
//
// Both throw std::runtime_error for text that the notation does not allow.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/formats/protobuf/protobuf_schema.h"

namespace signet::vectors {

// Returns a serialized FileDescriptorSet of `schema`.
std::string DescriptorSetOf(const nlohmann::ordered_json& schema);

// Returns the serialized messages of `inputs`, which are JSON or hexadecimal. Rejects unknown
// fields and two members of one oneof.
StatusOr<std::vector<std::string>> RowsOf(const nlohmann::ordered_json& inputs,
                                          const ProtobufSchema& schema,
                                          const std::string& message_type);

}  // namespace signet::vectors
