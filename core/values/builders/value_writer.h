// ValueWriter: walks a value and tells a sink, in record form, what ValueBuilder would be told.
//
//   structure [2] of {ids: ragged}  =>  [ { "ids": [ 1 2 ] } { "ids": [ ] } ]
//
// A structure is an object in nested lists, a ragged tensor nested lists, a complex number [re,
// im], a sparse tensor an object of indices, values and dense_shape, an extension value an object
// of its components. Fields and keys come in the order in which their type is written. Stateless;
// thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/numeric/int128.h>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

// What JSON text, notation and tables implement.
class ValueSink {
 public:
  virtual ~ValueSink() = default;
  virtual void BeginList() = 0;
  virtual void EndList() = 0;
  virtual void BeginObject() = 0;
  virtual void Key(std::string_view name) = 0;
  virtual void EndObject() = 0;
  virtual void Null() = 0;
  virtual void Bool(bool value) = 0;
  virtual void Int(absl::int128 value) = 0;
  // `dtype` is the number's own: its shortest text depends on it (AppendFloat below).
  virtual void Float(double value, DType dtype) = 0;
  virtual void String(std::string_view bytes) = 0;
  // Whether an extension value is to say what it is: `$type`, its name, and its static attributes
  // come before its components. A dict's own key `$type` then gets a `$` more in front, as does one
  // of more `$`.
  virtual bool WritesTypes() const { return false; }
  // Whether the sink has had enough: the walk ends where it is, with lists and objects left open.
  virtual bool IsFull() const { return false; }
};

// The key under which the record form of an extension value has the name of its type.
inline constexpr std::string_view kTypeKey = "$type";
// Whether `key` is `$type`, or that with more `$` in front.
bool IsTypeKey(std::string_view key);

// Writes a value that is no placeholder.
void WriteValue(const Value& value, ValueSink& sink);

// Writes such a value, a structure of rank 1, as an object of its columns: {"a": [1, 2]}.
void WriteColumns(const Value& structured, ValueSink& sink);

// Writes such a value as a list of its rows. Those of a tensor, ragged value or structure are the
// elements of its outermost dimension; those of a dict, named tuple or extension value records of
// its parts' rows:
//   {a: [1, 2], b: [[], [3]]}  =>  [ { "a": 1 "b": [ ] } { "a": 2 "b": [ 3 ] } ]
// INVALID_ARGUMENT, before anything is written, where there are no rows, or parts of several
// lengths.
Status WriteRows(const Value& value, ValueSink& sink);

// The shortest text that reads back as `value` under `dtype`; with a point, an exponent or a word.
void AppendFloat(std::string& out, double value, DType dtype);

}  // namespace signet
