// GraphImporter: the graphs of an ONNX model as functions of a native one. See importer.h.

#pragma once

#include "core/frontends/onnx/import/onnx_file.h"
#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Adds the function `main`, those that it calls, and their captures.
Status ImportGraph(const onnx::ModelProto& model, ExternalFiles& files, v1::Model& out,
                   Captures& captures);

}  // namespace signet
