// ParseFile: parses a source file of the model language to a tree.
//
// After an error, the parser continues with the next statement, so that one attempt reports several
// errors. docs/reference/model-language.md contains the grammar. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include "core/model/language/syntax/lexer.h"
#include "core/model/language/syntax/syntax.h"

namespace signet {

// Returns the tree, which borrows `tokens`. It is complete if no error was added to `errors`.
FileSyntax ParseFile(const TokenList& tokens, SourceErrors& errors);

// Removes the indentation of a text in three quotation marks, as Python does for documentation.
std::string WithoutIndentation(std::string_view text);

// Returns true for a name that an assignment can define and an expression can mention: an
// identifier that is not reserved.
bool IsLanguageName(std::string_view name);

}  // namespace signet
