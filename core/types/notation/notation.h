// Notation: reads the written form of types (docs/reference/notation.md).
//
//   ParseTypeSpec("{title: string[], ids: int64[?]}")
//
// Accepts what TypeSpec::ToString() writes, and spaces anywhere between tokens. Refusals point at a
// column, counted from 1. Nesting deeper than kMaxNotationDepth, dimensions below 0 or beyond int64
// and ranks above kMaxNotationRank are refused. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/literal.h"
#include "signet/status.h"
#include "signet/type_spec.h"

namespace signet {

inline constexpr int kMaxNotationDepth = 64;
inline constexpr int kMaxNotationRank = 64;

StatusOr<TypeSpec> ParseTypeSpec(std::string_view text);

// A cursor over notation text, shared by the parsers of types, values and signatures.
class NotationReader {
 public:
  explicit NotationReader(std::string_view text) : text_(text) {}

  // Skips spaces and says whether `token` is next; punctuation or a whole word. Peek leaves it
  // there.
  bool Peek(std::string_view token);
  bool Take(std::string_view token);
  Status Expect(std::string_view token, std::string_view context);
  bool AtEnd();
  Status ExpectEnd();

  StatusOr<TypeSpec> ReadType();
  // The same; the dimensions of a tensor may be names too, which stand for any size. Gives a name
  // or nothing for each dimension; none at all where no dimension has one.
  StatusOr<TypeSpec> ReadType(std::vector<std::string>& dimension_names);
  StatusOr<std::string> ReadName(std::string_view what);  // identifier, or quoted text
  // None, True, False (also null, true, false), an integer, a float, nan, inf, or quoted text.
  StatusOr<Literal> ReadLiteral();
  bool AtLiteral();  // a literal is next
  StatusOr<std::string> ReadQuoted();

  // A refusal at the cursor: `column 12: found `,` where <expected> was expected`.
  Status Unexpected(std::string_view expected);
  size_t position() const { return position_; }

 private:
  friend class TypeReader;
  void SkipSpace();
  std::string_view PeekWord();  // letters, digits, underscores, dots

  std::string_view text_;
  size_t position_ = 0;
};

}  // namespace signet
