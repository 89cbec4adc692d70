// CheckUtf8: rejects a message with text that is not UTF-8.
//
//   functions[1]: doc: expected UTF-8, found `caf\xe9`; byte 4 of the text does not start a
//   character
//
// A program may put any bytes into a string. Responses that repeat such a string,
// as ListModels does for all models, could not be parsed by any client. Stateless; thread-safe.

#pragma once

#include <string_view>

#include <google/protobuf/message.h>

#include "signet/status.h"

namespace signet {

// Returns INVALID_ARGUMENT if `text` is not UTF-8.
Status CheckUtf8(std::string_view text);

// Returns INVALID_ARGUMENT with the path of the first such field. Fields of bytes may contain
// anything.
Status CheckUtf8(const google::protobuf::Message& message);

}  // namespace signet
