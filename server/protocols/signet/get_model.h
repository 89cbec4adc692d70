// GetModel: returns the functions, versions, labels, and documentation of a model. Thread-safe.

#pragma once

#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

StatusOr<v1::GetModelResponse> GetModel(const ServerContext& server,
                                        const v1::GetModelRequest& request);

}  // namespace signet
