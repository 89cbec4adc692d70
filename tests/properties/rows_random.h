// Random rows: tensors, ragged and structured values of rank at least 1, and what they hold, for
// the laws of ops on them.

#pragma once

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "signet/ops/indexing.h"
#include "tests/properties/values_random.h"

namespace signet {

// What is written of a value behind its type.
inline std::string Data(const Value& value) {
  return ToString(value).substr(value.spec().ToString().size() + 1);
}

inline bool HasRows(const TypeSpec& spec) {
  bool fits =
      spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kStructured);
  return fits && spec.shape()->has_rank() && spec.shape()->rank() > 0;
}

// A value with rows; no value when the lists drawn do not fit together.
inline Value AnyRows(RandomValues& random) {
  TypeSpec type = random.Type(2);
  if (!HasRows(type)) return {};
  auto builder = ValueBuilder::Make(type);
  if (!builder.ok() || !random.Fill(type, *builder).ok()) return {};
  auto value = builder->Finish();
  return value.ok() ? *std::move(value) : Value();
}

// Of dimension 0.
inline std::vector<Value> ElementsOf(const Value& value) {
  std::vector<Value> elements;
  while (true) {
    auto element = GetItem(value, {static_cast<int64_t>(elements.size())});
    if (!element.ok()) {
      EXPECT_EQ(element.status().code(), absl::StatusCode::kOutOfRange) << element.status();
      return elements;
    }
    elements.push_back(*std::move(element));
  }
}

}  // namespace signet
