// AttributeListOf: returns a list of plain values as an attribute.
//
//   AttributeListOf(std::vector<double>{0.5, 1})  =>  `list(0.5, 1.0)`

#pragma once

#include <utility>
#include <vector>

#include "signet/attributes.h"
#include "signet/sequence_spec.h"

namespace signet {

// `items` is a container of values that AttributeOf accepts.
template <class Items>
TypeSpec AttributeListOf(const Items& items) {
  std::vector<TypeSpec> elements;
  elements.reserve(static_cast<size_t>(items.size()));
  for (const auto& item : items) elements.push_back(AttributeOf(item));
  return ListType(std::move(elements));
}

}  // namespace signet
