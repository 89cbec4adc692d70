// NodeOrder: an order in which each node comes behind those whose outputs it reads.
//
// The standard wants nodes sorted; some writers leave it to the reader. Those that are sorted keep
// their order. Stateless; thread-safe.

#pragma once

#include <vector>

#include <onnx/onnx_pb.h>

namespace signet {

// The numbers of all nodes. Those that read what comes of themselves stand last.
std::vector<int> NodeOrder(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes);

}  // namespace signet
