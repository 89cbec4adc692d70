// ImportGraph: imports the graph of an ONNX model, with its subgraphs and functions. See
// importer.h.

#pragma once

#include "core/frontends/onnx/import/onnx_file.h"
#include "core/model/model_def.h"

namespace signet {

// Adds the function `main`, the functions that it calls, and their captures.
Status ImportGraph(const onnx::ModelProto& model, ExternalFiles& files, ModelDef& out);

}  // namespace signet
