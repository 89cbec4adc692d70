// ProtobufPath: the path of a field of a message.
//
//   event.action.doc_id           fields
//   info.(pkg.extension).score    an extension, by its full name
//   detail.(host/pkg.Type).id     the message within an Any, of that type
//   labels[color]                 the value that a map has under a key
//   event.*                       all leaves below it
//
// Steps are joined by dots; the empty path is the message itself. Names consist of letters, digits,
// `_`, and `-`; a key is any text without `]`. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

using ProtobufPath = std::vector<std::string>;

// Returns an error for empty steps, other characters, and unbalanced parentheses or brackets.
StatusOr<ProtobufPath> ParseProtobufPath(std::string_view text);
std::string ToText(const ProtobufPath& path);

// The parts of one step.
struct ProtobufStep {
  enum class Kind : uint8_t { kField, kExtension, kAnyCast, kMapLookup, kWildcard };
  Kind kind;
  std::string_view
      name;              // the field; the extension's or, behind the last `/`, the type's full name
  std::string_view key;  // for kMapLookup
};
// Splits a step. The parts point into `text`.
StatusOr<ProtobufStep> ParseProtobufStep(std::string_view text);

}  // namespace signet
