// NotationReader: a cursor that reads types, names, and literals from text in the notation
// (docs/reference/notation.md). ParseTypeSpec (include/signet/notation.h) reads one type.
//
// Accepts everything that TypeSpec::ToString() writes, and spaces between tokens. Errors state a
// column, counted from 1. Returns an error for nesting deeper than kMaxNotationDepth, for
// dimensions below 0 or beyond int64, and for ranks above kMaxNotationRank. Stateless; thread-safe.

#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "signet/literal.h"
#include "signet/notation.h"
#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

inline constexpr int kMaxNotationDepth = 64;
inline constexpr int kMaxNotationRank = 64;

// The extension types whose name alone is accepted as a type: `app.Masked` for
// `app.Masked(values: any, mask: bool[?])`. A null type has static attributes, so that its name
// alone is not a type.
using TypesByName = std::map<std::string, TypeSpec, std::less<>>;

// A cursor over notation text, shared by the parsers of types, values and signatures.
class NotationReader {
 public:
  // `types` outlives the reader.
  explicit NotationReader(std::string_view text, const TypesByName* types = nullptr)
      : text_(text), types_(types) {}

  // Skips spaces and returns true if `token`, punctuation or a whole word, is next. Peek does not
  // consume it.
  bool Peek(std::string_view token);
  bool Take(std::string_view token);
  Status Expect(std::string_view token, std::string_view context);
  bool AtEnd();
  Status ExpectEnd();

  StatusOr<TypeSpec> ReadType();
  // Does the same, and also accepts names for the dimensions of a tensor; a name means any size.
  // Returns the name of each dimension, or an empty name, in `dimension_names`, which is empty if
  // no dimension has a name.
  StatusOr<TypeSpec> ReadType(std::vector<std::string>& dimension_names);
  StatusOr<std::string> ReadName(std::string_view what);  // an identifier or quoted text
  // Reads None, True, False (also null, true, false), an integer, a float, nan, inf, or quoted
  // text.
  StatusOr<Literal> ReadLiteral();
  bool AtLiteral();  // true if a literal is next
  StatusOr<std::string> ReadQuoted();

  // Returns an error at the cursor: `column 12: found `,` where <expected> was expected`.
  Status Unexpected(std::string_view expected);
  size_t position() const { return position_; }

 private:
  friend class TypeReader;
  void SkipSpace();
  std::string_view PeekWord();  // letters, digits, underscores, dots

  std::string_view text_;
  size_t position_ = 0;
  const TypesByName* types_ = nullptr;
};

}  // namespace signet
