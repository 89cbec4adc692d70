// TypeText: shows a type of a message. BreakSignature: breaks a long signature into several lines.

#pragma once

#include <string>
#include <string_view>

#include "signet/v1/types.pb.h"

namespace signet {

// Returns a type in the notation; `any` for any type, and for a type that this program does not
// know.
std::string TypeText(const v1::TypeSpec& type);

// Returns `signature` unchanged if it is at most `width` columns wide. Otherwise, returns one line
// per parameter, and one line per field of a structure that is wider than a line:
//   score(
//     recipe: {title: string[], ingredients: [{name: string[], weight: float32[]}]},
//     limit = 3
//   ) -> [{title: string[], score: float32[]}]
// ParseSignature reads both forms. The text begins in column `indent`, and the lines after the
// first are indented by `indent` more columns. Breaks a type in the same way.
std::string BreakSignature(std::string_view signature, size_t width = 100, size_t indent = 0);

}  // namespace signet
