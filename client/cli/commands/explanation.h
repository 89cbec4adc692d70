// RenderExplanation: formats a response of Explain for people.

#pragma once

#include <string>

#include "signet/v1/service.pb.h"

namespace signet {

std::string RenderExplanation(const v1::ExplainResponse& explanation, bool with_plan);

}  // namespace signet
