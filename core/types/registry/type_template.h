// TypeTemplate: a type in writing with places that static attributes fill.
//
//   TypeTemplate::Parse("$dtype[$rows, 3]", {"dtype", "rows"})
//     Fill(dtype="int8", rows=2)     =>  int8[2, 3]
//     Fill(dtype="int8", rows=None)  =>  int8[?, 3]
//
// A place takes the name of a dtype, a size (None is unknown), or a list of sizes. Immutable value.

#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/record_spec.h"

namespace signet {

class TypeTemplate {
 public:
  // Whether `text` has places to fill.
  static bool HasPlaces(std::string_view text) { return text.find('$') != std::string_view::npos; }
  // Refuses a place that none of `statics` fills, and text that is no type whatever fills them.
  static StatusOr<TypeTemplate> Parse(std::string_view text, std::span<const std::string> statics);

  // Refuses attributes that are missing or do not suit their place.
  StatusOr<TypeSpec> Fill(const NamedTypes& statics) const;
  const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string text;   // as it stands
    std::string place;  // and then the attribute of this name; empty for none
  };

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace signet
