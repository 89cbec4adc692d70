// SetLogged: changes while the server runs which events are written to the log. Thread-safe.

#pragma once

#include "server/observability/log.h"

namespace signet {

// From now on, events of `level` are written if `is_logged` is true. Other levels do not change.
void SetLogged(LogLevel level, bool is_logged);

}  // namespace signet
