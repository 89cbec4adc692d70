// WireTensor: reads Tensor messages with a cursor (see wire.h). Stateless.

#pragma once

#include "core/formats/signet_wire/wire_cursor.h"
#include "signet/tensor.h"

namespace signet::wire {

StatusOr<Tensor> ReadTensor(WireSource& source, WireCursor cursor);

// Checks that each bool is a byte 0 or 1, because programs rely on that.
Status CheckBools(const Buffer& data);

}  // namespace signet::wire
