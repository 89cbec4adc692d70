// ValueBuilder: makes a value of a given type from a stream of events, as a parser meets them.
//
//   auto builder = ValueBuilder::Make(spec);      // [{ids: int64[(?)]}]
//   builder->BeginList(); builder->BeginObject(); builder->Key("ids"); builder->BeginList();
//   builder->Int(3); ...                          builder->Finish()
//
// Events go straight into growing columns; nothing is kept per record. What a type takes:
//   tensor, ragged   nested lists, a list a dimension; complex numbers are a number or [re, im]
//   structure        an object, in a list for each of its dimensions
//   list, tuple      a list of that length
//   dict, named tuple, extension   an object of its keys, fields or components
//   sparse           an object of indices, values and dense_shape
//   literal          that very value
//   no type          anything: scalars become literals, lists lists, objects dicts
// A type of unknown rank takes its rank from the depth of its lists. Numbers convert by the rules
// of core/values/plain_numbers.h. Keys may come in any order. A key that is missing, or whose value
// is null, gets the default that its type declares, or is an absent optional field; else it is
// refused. An optional field is written as its one element (include/signet/structured_spec.h).
//
// A refusal starts with the path, `recipes[3].steps[0].amount`, which FieldOf also gives; reasons:
// DTYPE_MISMATCH, SHAPE_MISMATCH, STRUCTURE_MISMATCH, OUT_OF_RANGE, NOT_RECTANGULAR,
// NOT_CONVERTIBLE, LITERAL_MISMATCH. After a refusal the builder is of no more use. One thread.

#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <absl/numeric/int128.h>

#include "signet/value.h"

namespace signet {

// Looked at before memory is taken; a refusal is RESOURCE_EXHAUSTED, and names the flag of a limit
// that is one.
struct BuilderLimits {
  int64_t max_elements = int64_t{1} << 31;  // scalars; without a type also lists and objects
  int64_t max_bytes = int64_t{1} << 30;     // of columns, texts and row splits
  int max_depth = 64;                       // lists and objects within others
  std::string_view elements_flag = {};      // `--max_tensor_elements`
  std::string_view bytes_flag = {};

  Status TooManyElements() const;
  Status TooManyBytes() const;
  Status TooDeep() const;
};

class ValueBuilder {
 public:
  static StatusOr<ValueBuilder> Make(TypeSpec spec, BuilderLimits limits = {});
  // For the columns of a structure of rank 1, an object of lists, {"a": [1, 2]}; Finish gives a
  // dict.
  static StatusOr<ValueBuilder> MakeForColumns(const TypeSpec& structured,
                                               BuilderLimits limits = {});
  ~ValueBuilder();
  ValueBuilder(ValueBuilder&&) noexcept;
  ValueBuilder& operator=(ValueBuilder&&) noexcept;

  Status BeginList();
  Status EndList();
  Status BeginObject();
  Status Key(std::string_view name);
  Status EndObject();
  Status Null();
  Status Bool(bool value);
  Status Int(absl::int128 value);
  Status Float(double value);
  Status String(std::string_view bytes);

  // Whether an object could come next (an untyped builder takes one anywhere).
  bool TakesObject() const;
  // False where a key is due and the type has none of this name. A reader that skips unknown keys
  // then skips the value; Key refuses it.
  bool TakesKey(std::string_view name) const;
  // Whether a key is due in an extension value, or the value itself, and `key` is `$type` or one of
  // its static attributes. The type has them already: a reader skips them.
  bool IsTypePart(std::string_view key) const;
  // The dtype of the scalar that could come next; empty where a list, object or literal belongs.
  std::optional<DType> ScalarDType() const;
  // Where the next event belongs: `recipes[3].title`; empty at the top.
  std::string Path() const;

  // The value, whose type is that of the data: sizes that `spec` leaves open are filled in. Refused
  // when the value is not complete.
  StatusOr<Value> Finish();

 private:
  class Typed;
  class Untyped;
  ValueBuilder();

  std::unique_ptr<Typed> typed_;  // one of the two
  std::unique_ptr<Untyped> untyped_;
};

}  // namespace signet
