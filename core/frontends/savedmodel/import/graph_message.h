// ParseGraphMessage: parses a message of TensorFlow that contains a graph, from untrusted bytes.
//
// Limits: 1 GiB, of which 64 MiB besides the elements of tensors, and 8 million messages, texts,
// and numbers. They are checked before memory is allocated for the message. Stateless; thread-safe.

#pragma once

#include <string_view>

#include <google/protobuf/message.h>

#include "signet/status.h"

namespace signet {

// `what` names the message in errors, such as `a SavedModel`.
Status ParseGraphMessage(std::string_view bytes, std::string_view what,
                         google::protobuf::Message& message);

}  // namespace signet
