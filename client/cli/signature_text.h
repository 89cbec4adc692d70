// SignatureText: signatures for people to read.

#pragma once

#include <string>
#include <string_view>

namespace signet {

// `signature` as it is, if it is at most `width` columns wide; else over several lines, with a line
// for each parameter, and for each field of a structure that is wider than a line:
//   score(
//     recipe: {title: string[], ingredients: [{name: string[], weight: float32[]}]},
//     limit = 3
//   ) -> [{title: string[], score: float32[]}]
// ParseSignature reads both forms. The text begins in column `indent`, and lines after the first
// are indented by `indent` columns more. Breaks a type in the same way.
std::string BreakSignature(std::string_view signature, size_t width = 100, size_t indent = 0);

}  // namespace signet
