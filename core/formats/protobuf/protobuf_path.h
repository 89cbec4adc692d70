// ProtobufPath: which field of a message, in writing.
//
//   event.action.doc_id           fields
//   info.(pkg.extension).score    an extension, by its full name
//   detail.(host/pkg.Type).id     the message within an Any, of that type
//   labels[color]                 the value that a map has under a key
//   event.*                       every leaf below
//
// Steps are joined by dots; the empty text is the message itself. Names have letters, digits, `_`
// and `-`; a key is anything without `]`. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

using ProtobufPath = std::vector<std::string>;

// Refuses empty steps, other characters, and parentheses or brackets that do not close.
StatusOr<ProtobufPath> ParseProtobufPath(std::string_view text);
std::string ToText(const ProtobufPath& path);

// One step, taken apart.
struct ProtobufStep {
  enum class Kind : uint8_t { kField, kExtension, kAnyCast, kMapLookup, kWildcard };
  Kind kind;
  std::string_view
      name;              // the field; the extension's or, behind the last `/`, the type's full name
  std::string_view key;  // of kMapLookup
};
// The parts point into `text`.
StatusOr<ProtobufStep> ParseProtobufStep(std::string_view text);

}  // namespace signet
