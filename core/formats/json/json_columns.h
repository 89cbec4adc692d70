// JsonColumns: JSON straight into the columns of a type, without events or messages.
//
// The quick way for what is as its type says. Whatever is not makes it give up, and says nothing:
// the caller reads the text again with ValueBuilder, whose rules and refusals these are, and which
// also takes what is rare here. Never accepts what ValueBuilder refuses, nor gives another value,
// but in parts that nobody needs; a property test compares the two. One thread.

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
  // Empty for a type of which ValueBuilder must read some part: literals, unknown ranks, complex
  // numbers. `needs` as in ValueFromJson.
  static std::optional<JsonColumns> Make(const TypeSpec& spec, const BuilderLimits& limits,
                                         const std::vector<bool>& needs,
                                         bool skips_unknown_keys = true);

  // Reads the whole value, which may be an object of columns where it is a structure of rank 1;
  // false: gave up.
  bool Read(JsonTokens& tokens);
  // Reads one element of the outermost dimension; EndElements follows the last.
  bool ReadElement(JsonTokens& tokens);
  bool EndElements();
  // Empty where the value is refused after all.
  std::optional<Value> Finish();

 private:
  JsonColumns(const BuilderLimits& limits, bool skips_unknown_keys)
      : skips_unknown_keys_(skips_unknown_keys),
        max_depth_(limits.max_depth),
        numbers_left_(std::min(limits.max_elements, limits.max_bytes / 16)),
        text_left_(limits.max_bytes / 2) {}

  bool Read(JsonTokens& tokens, BuilderNode& node, size_t axis);
  bool ReadList(JsonTokens& tokens, BuilderNode& node, size_t axis);
  // The fields of `node`, each read by `read(tokens, child)`; those that are not there, if
  // `may_be_absent`, as null.
  template <class ReadOne>
  bool ReadFields(JsonTokens& tokens, BuilderNode& node, bool may_be_absent, ReadOne read);
  bool EndAbsent(BuilderNode& node);
  // A field, or an element of a column of fields: null or the value where it is optional.
  bool ReadField(JsonTokens& tokens, BuilderNode& field);
  bool ReadColumn(JsonTokens& tokens, BuilderNode& column, int64_t& count);
  bool ReadSequence(JsonTokens& tokens, BuilderNode& node);
  // One scalar, or those of a list; adds how many to `count`.
  bool ReadScalars(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count);
  template <auto read>
  bool ReadNumbers(JsonTokens& tokens, BuilderNode& node, bool is_list, int64_t& count);
  bool ReadText(JsonTokens& tokens, BuilderNode& node);
  // The next token, if it is a string; good until the next one.
  bool TakeText(JsonTokens& tokens, std::string_view& text);
  bool EndAxis(BuilderAxis& axis, int64_t length);

  BuilderTree tree_;
  bool skips_unknown_keys_;
  int max_depth_;
  // What may still be kept; when there is no more, ValueBuilder counts exactly.
  int64_t numbers_left_;  // of up to 8 bytes, ends of lists and texts among them
  int64_t text_left_;     // bytes
  std::string memory_;    // of an unescaped text
};

}  // namespace signet
