// AuthorizeAdmin: decides who may use AdminService.

#pragma once

#include "server/call/serving.h"

namespace signet {

// Returns OK if the caller may use AdminService. Without permissions, every caller may.
template <class Server, class Context>
Status AuthorizeAdmin(const Server& server, const Context& context) {
  if constexpr (requires { server.access.AuthorizeAdmin(context); }) {
    return server.access.AuthorizeAdmin(context);
  } else {
    return absl::OkStatus();
  }
}

}  // namespace signet
