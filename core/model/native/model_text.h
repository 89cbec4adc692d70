// ModelText: a model's message written to be read: one line a node, in the order of the message.
//
//   nodes { name: "y" op: "mul" inputs: "x" inputs: "scale" }

#pragma once

#include <string>

#include "signet/v1/model.pb.h"

namespace signet {

// The text of model.textproto; equal messages give equal texts. ParseModelText reads it back.
std::string ModelToText(const v1::Model& proto);

}  // namespace signet
