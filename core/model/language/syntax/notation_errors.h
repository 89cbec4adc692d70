// AddNotationError: reports an error of a parser of the notation at its position in the source
// file.
//
// Stateless; thread-safe.

#pragma once

#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/source_errors.h"
#include "core/model/language/syntax/syntax.h"
#include "signet/status.h"

namespace signet {

// Adds an error of a parser of the notation for `range` of the notation of `tokens`. The column
// that the message states becomes the position; without one, the position is `fallback`.
void AddNotationError(const TokenList& tokens, NotationRange range, size_t fallback,
                      const Status& status, SourceErrors& errors);

}  // namespace signet
