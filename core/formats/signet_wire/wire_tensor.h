// WireTensor: reads Tensor messages with a cursor (see wire.h). Stateless.

#pragma once

#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/tensor.h"

namespace signet::wire {

StatusOr<Tensor> ReadTensor(WireSource& source, WireCursor cursor);

}  // namespace signet::wire
