// NumberFormat: a format of printf for one number, such as `%08.3f`.

#pragma once

#include <string_view>

#include "signet/status.h"

namespace signet {

struct NumberFormat {
  char flag = '\0';  // one of ` +-0#`, or none
  int width = 0;
  int precision = -1;  // -1: not given
  char conversion = 'd';
};

// INVALID_ARGUMENT if `text` is not a format for integers, or for floats.
StatusOr<NumberFormat> ParseNumberFormat(std::string_view text, bool is_float);

}  // namespace signet
