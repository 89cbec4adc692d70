// SignatureOf: signatures in the notation, for tests.

#pragma once

#include <string_view>

#include <gtest/gtest.h>

#include "core/function/signature.h"

namespace signet {

inline Signature SignatureOf(std::string_view text) {
  auto signature = ParseSignature(text);
  EXPECT_TRUE(signature.ok()) << text << ": " << signature.status();
  return signature.ok() ? *std::move(signature) : Signature();
}

inline FunctionType TypeOf(std::string_view text) { return SignatureOf(text).type; }

}  // namespace signet
