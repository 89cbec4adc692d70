// ModelToText: formats the message of a model as a model.textproto with one line per node.
//
//   nodes { name: "y" op: "mul" inputs: "x" inputs: "scale" }

#pragma once

#include <string>

#include "signet/v1/model.pb.h"

namespace signet {

// Returns the text of model.textproto. Equal messages have equal texts, and ParseModelText reads
// them.
std::string ModelToText(const v1::Model& proto);

}  // namespace signet
