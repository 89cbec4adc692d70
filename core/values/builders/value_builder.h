// ValueBuilder: builds a value of a given type from a stream of events, such as those of a parser.
//
//   auto builder = ValueBuilder::Make(spec);      // [{ids: int64[(?)]}]
//   builder->BeginList(); builder->BeginObject(); builder->Key("ids"); builder->BeginList();
//   builder->Int(3); ...                          builder->Finish()
//
// Events are written directly into growing columns; nothing is stored per record. Each type
// accepts:
//   tensor, ragged   nested lists, one per dimension; complex numbers are a number or [re, im]
//   structure        an object, in one list per dimension
//   list, tuple      a list of the same length
//   dict, named tuple, extension   an object of its keys, fields, or components
//   sparse           an object of indices, values, and dense_shape
//   literal          exactly its value
//   no type          anything: scalars are converted to literals, lists to lists, objects to dicts
// For a type of unknown rank, the depth of the lists determines the rank. Numbers are converted by
// the rules of core/values/plain_numbers.h. Keys may come in any order. A key that is missing or
// has the value null is replaced by the default of its type or is an absent optional field;
// otherwise it is an error. An optional field is written as its one element
// (include/signet/structured_spec.h).
//
// An error starts with the path, `recipes[3].steps[0].amount`, which FieldOf also returns. Reasons:
// DTYPE_MISMATCH, SHAPE_MISMATCH, STRUCTURE_MISMATCH, OUT_OF_RANGE, NOT_RECTANGULAR,
// NOT_CONVERTIBLE, LITERAL_MISMATCH. After an error, the builder must not be used. Not thread-safe.

#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include <absl/numeric/int128.h>

#include "signet/value.h"

namespace signet {

// Limits that are checked before memory is allocated. The error is RESOURCE_EXHAUSTED and names the
// flag of the limit, if it has one.
struct BuilderLimits {
  int64_t max_elements = int64_t{1} << 31;  // scalars; without a type, also lists and objects
  int64_t max_bytes = int64_t{1} << 30;     // of columns, strings, and row splits
  int max_depth = 64;                       // of nested lists and objects
  std::string_view elements_flag = {};      // `--max_tensor_elements`
  std::string_view bytes_flag = {};

  Status TooManyElements() const;
  Status TooManyBytes() const;
  Status TooDeep() const;
};

class ValueBuilder {
 public:
  static StatusOr<ValueBuilder> Make(TypeSpec spec, BuilderLimits limits = {});
  // For the columns of a structure of rank 1: an object of lists, {"a": [1, 2]}. Finish returns a
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

  // Returns true if an object may come next. An untyped builder accepts an object anywhere.
  bool TakesObject() const;
  // Returns false if a key is expected and the type does not have this one. A reader that skips
  // unknown keys then skips the value; Key returns an error.
  bool TakesKey(std::string_view name) const;
  // Returns true if a key or value of an extension type is expected and `key` is `$type` or a
  // static attribute. The type has these already, so a reader skips them.
  bool IsTypePart(std::string_view key) const;
  // Returns the dtype of the scalar that may come next, or nothing if a list, object, or literal is
  // expected.
  std::optional<DType> ScalarDType() const;
  // Returns the path of the next event: `recipes[3].title`; empty at the top.
  std::string Path() const;

  // Returns the value, or an error if it is incomplete. The type is that of the data: sizes that
  // `spec` leaves open are filled in.
  StatusOr<Value> Finish();

 private:
  class Typed;
  class Untyped;
  ValueBuilder();

  std::unique_ptr<Typed> typed_;  // exactly one of the two is set
  std::unique_ptr<Untyped> untyped_;
};

}  // namespace signet
