// JsonColumns: reads JSON directly into the columns of a type, without events or messages.
//
// This is the fast path for text that matches the type. On any mismatch it returns false, without
// an error: the caller reads the text again with ValueBuilder, which defines the rules and the
// errors, and supports the rare forms. Except for parts that are not needed, JsonColumns never
// accepts what ValueBuilder rejects and never returns a different value; a property test compares
// the two. Not thread-safe.

#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "core/formats/json/json_tokens.h"
#include "core/values/builders/builder_node.h"
#include "core/values/builders/value_builder.h"

namespace signet {

class JsonColumns {
 public:
  // Returns nothing for a type that requires ValueBuilder: literals, unknown ranks, complex
  // numbers. `needs` is as in ValueFromJson.
  static std::optional<JsonColumns> Make(const TypeSpec& spec, const BuilderLimits& limits,
                                         const std::vector<bool>& needs,
                                         bool skips_unknown_keys = true);

  // Reads the whole value, which may be an object of columns if it is a structure of rank 1.
  // Returns false if ValueBuilder has to read it.
  bool Read(JsonTokens& tokens);
  // Reads one element of the outermost dimension. EndElements follows the last one.
  bool ReadElement(JsonTokens& tokens);
  bool EndElements();
  // Returns nothing if the value must be rejected.
  std::optional<Value> Finish();

 private:
  JsonColumns(const BuilderLimits& limits, bool skips_unknown_keys)
      : skips_unknown_keys_(skips_unknown_keys),
        max_depth_(limits.max_depth),
        numbers_left_(std::min(limits.max_elements, limits.max_bytes / 16)),
        text_left_(limits.max_bytes / 2) {}

  bool Read(JsonTokens& tokens, BuilderNode& node, size_t axis);
  bool ReadList(JsonTokens& tokens, BuilderNode& node, size_t axis);
  // Reads a scalar as the only element of lists of one.
  bool ReadOnlyScalar(JsonTokens& tokens, BuilderNode& node);
  // Reads the fields of `node`, each with `read(tokens, child)`. If `may_be_absent` is true,
  // missing fields are read as null.
  template <class ReadOne>
  bool ReadFields(JsonTokens& tokens, BuilderNode& node, bool may_be_absent, ReadOne read);
  bool EndAbsent(BuilderNode& node);
  // Reads a field, or an element of a column of fields. An optional field is null or the value.
  bool ReadField(JsonTokens& tokens, BuilderNode& field);
  bool ReadColumn(JsonTokens& tokens, BuilderNode& column, int64_t& count);
  bool ReadSequence(JsonTokens& tokens, BuilderNode& node);
  // Reads one scalar, or the scalars of a list, and adds their number to `count`.
  bool ReadScalars(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count);
  template <auto read>
  bool ReadNumbers(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count);
  bool ReadText(JsonTokens& tokens, BuilderNode& node);
  // Reads the next token if it is a string. The text is valid until the next string.
  bool TakeText(JsonTokens& tokens, std::string_view& text);
  bool EndAxis(BuilderAxis& axis, int64_t length);

  BuilderTree tree_;
  bool skips_unknown_keys_;
  int max_depth_;
  // The rest of the limits. At zero, ValueBuilder reads the text and counts exactly.
  int64_t numbers_left_;  // of up to 8 bytes, including ends of lists and strings
  int64_t text_left_;     // bytes
  std::string memory_;    // for an unescaped string
};

}  // namespace signet
