// WriteOnnx: writes a flat graph as an ONNX model, so that ONNX Runtime can run the same network.
//
//   WriteOnnx(graph)  =>  a model with the inputs `x0`, `x1`, ... and the results of the graph
//
// Constants are initializers. Ops without a row in the table of onnx_writer.cc are rejected.
// Stateless.

#pragma once

#include <onnx/onnx_pb.h>

#include "core/graph/flat/flat_graph.h"

namespace signet {

StatusOr<onnx::ModelProto> WriteOnnx(const FlatGraph& graph);

}  // namespace signet
