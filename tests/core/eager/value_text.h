// Parse and Text: values in tests from the notation, and results as their text or error message.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {

inline Value Parse(std::string_view text) {
  auto value = ParseValue(text);
  if (!value.ok()) CheckFailed(Cat(text, ": ", value.status().ToString()).c_str(), __FILE__, 1);
  return *std::move(value);
}

// Returns the text of a value, which must be consistent, or the error message.
inline std::string Text(const StatusOr<Value>& value) {
  if (!value.ok()) return std::string(MessageOf(value.status()));
  Components components(value->components().begin(), value->components().end());
  auto checked = MakeValue(value->spec(), std::move(components));
  EXPECT_TRUE(checked.ok()) << checked.status();
  return ToString(*value);
}

}  // namespace signet
