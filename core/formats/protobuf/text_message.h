// ParseTextMessage: reads a message that an operator writes, such as settings.textproto.
//
//   scheduling { weigth: 2 }
//   => line 1, column 14: message type "signet.v1.Scheduling" has no field named "weigth";
//      the nearest is `weight`
//
// Stateless; thread-safe.

#pragma once

#include <string_view>

#include <google/protobuf/message.h>

#include "signet/status.h"

namespace signet {

// Parses the text form of `message`. Returns INVALID_ARGUMENT with the line and the column of the
// first error.
Status ParseTextMessage(std::string_view text, google::protobuf::Message& message);

}  // namespace signet
