// InferenceOptions: what the Open Inference Protocol needs to know about the server.

#pragma once

#include <functional>
#include <string>

#include "signet/status.h"

namespace signet {

struct InferenceOptions {
  std::string version;  // of the program
  // RepositoryModelLoad and RepositoryModelUnload are served to callers with the permission of
  // administration (--admin).
  bool may_change_models = false;
  std::function<Status()> check_ready;  // returns OK if the server is ready
};

}  // namespace signet
