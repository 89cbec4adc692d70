// ProtobufRowsFromValue: writes the rows of a structure as serialized messages, one message per
// row.
//
// The inverse of ValueFromProtobufRows, with the same rules for fields
// (docs/reference/protobuf.md): rows of 0 or 1 are optional fields, longer rows are repeated
// fields, and {key, value} is a map. Default values of proto3 scalars without presence are omitted,
// and repeated numbers are packed if the schema says so. Fields that the structure does not have
// are absent. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/formats/common/limits.h"
#include "core/formats/protobuf/protobuf_selection.h"
#include "signet/value.h"

namespace signet {

// `value` is a structure of rank 1, a structure of rank 0 for one row, or a dict or named tuple
// whose parts could be the columns of a structure. Returns an error for
//
// - fields that the message lacks or that have another type there;
// - required fields that the structure lacks;
// - fields for a single key of a map or for the message in an Any;
// - rows with two members of a oneof or two values of an optional field;
// - text that is not UTF-8 if the schema says `string`.
//
// Returns RESOURCE_EXHAUSTED if the messages exceed limits.message_bytes.
StatusOr<std::vector<std::string>> ProtobufRowsFromValue(const Value& value,
                                                         const ProtobufSchema& schema,
                                                         std::string_view message_type,
                                                         const Limits& limits,
                                                         const ProtobufOptions& options = {});

}  // namespace signet
