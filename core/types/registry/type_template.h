// TypeTemplate: the text of a type with placeholders that static attributes fill.
//
//   TypeTemplate::Parse("$dtype[$rows, 3]", {"dtype", "rows"})
//     Fill(dtype="int8", rows=2)     =>  int8[2, 3]
//     Fill(dtype="int8", rows=None)  =>  int8[?, 3]
//
// A placeholder stands for the name of a dtype, a size (None means unknown), or a list of sizes.
// Immutable value.

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
  // Returns true if `text` has placeholders.
  static bool HasPlaces(std::string_view text) { return text.find('$') != std::string_view::npos; }
  // Returns an error for a placeholder without an attribute in `statics`, and for text that is not
  // a type with any values.
  static StatusOr<TypeTemplate> Parse(std::string_view text, std::span<const std::string> statics);

  // Returns an error if an attribute is missing or does not fit its placeholder.
  StatusOr<TypeSpec> Fill(const NamedTypes& statics) const;
  const std::string& text() const { return text_; }

 private:
  struct Part {
    std::string text;   // the text before the placeholder
    std::string place;  // the attribute of the placeholder that follows; empty: none
  };

  std::string text_;
  std::vector<Part> parts_;
};

}  // namespace signet
