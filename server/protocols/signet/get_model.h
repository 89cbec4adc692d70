// GetModel: describes a model to a client. The description is written once and kept
// (server/call/description_cache.h); what changes is added to it. Thread-safe.

#pragma once

#include <functional>

#include "core/formats/signet_wire/wire.h"
#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Passes the serialized GetModelResponse to `done`, once, on this thread or on another thread that
// describes models.
void GetModel(ServerContext& server, const v1::GetModelRequest& request,
              std::function<void(StatusOr<wire::Pieces>)> done);

}  // namespace signet
