// GetModel: a model's functions, versions, labels and documentation. Thread-safe.

#pragma once

#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

StatusOr<v1::GetModelResponse> GetModel(const Serving& serving, const v1::GetModelRequest& request);

}  // namespace signet
