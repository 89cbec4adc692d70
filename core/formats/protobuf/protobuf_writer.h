// ProtobufRowsFromValue: the rows of a structure as serialised messages, a message each.
//
// The mirror of ValueFromProtobufRows, by the same rules of what field goes with what message field
// (docs/reference/protobuf.md): rows of 0 or 1 are optional, longer ones repeated, {key, value} a
// map. Default values of proto3 scalars without presence are left out, repeated numbers packed
// where the schema says so. What the structure does not have is absent. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/formats/protobuf/protobuf_selection.h"
#include "signet/value.h"

namespace signet {

// `value` is a structure of rank 1, of rank 0 for one row, or a dict or named tuple of what could
// be the columns of one. Refuses fields that the message lacks or has otherwise, required ones that
// the structure lacks, those that stand for a map's key or for what an Any holds; and rows with two
// members of a oneof, two values of what is optional, or text that is not UTF-8 where the schema
// says `string`. RESOURCE_EXHAUSTED beyond limits.message_bytes.
StatusOr<std::vector<std::string>> ProtobufRowsFromValue(const Value& value,
                                                         const ProtobufSchema& schema,
                                                         std::string_view message_type,
                                                         const Limits& limits,
                                                         const ProtobufOptions& options = {});

}  // namespace signet
