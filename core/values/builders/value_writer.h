// ValueWriter: traverses a value and sends the events of its record form to a sink.
//
//   structure [2] of {ids: ragged}  =>  [ { "ids": [ 1 2 ] } { "ids": [ ] } ]
//
// A structure is an object in nested lists, a ragged tensor is nested lists, a complex number is
// [re, im], a sparse tensor is an object of indices, values, and dense_shape, and an extension
// value is an object of its components. Fields and keys are in the order in which their type is
// written. The events are those that ValueBuilder accepts. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>

#include <absl/numeric/int128.h>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

// Receives the events; JSON text, notation, and tables implement it.
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
  // `dtype` is the dtype of the number, which determines its shortest text (AppendFloat below).
  virtual void Float(double value, DType dtype) = 0;
  virtual void String(std::string_view bytes) = 0;
  // Returns true if an extension value states its type: `$type` with its name, and its static
  // attributes, come before its components. In a dict, one more `$` is added to the key `$type` and
  // to keys like it with more `$`.
  virtual bool WritesTypes() const { return false; }
  // Returns true if the sink needs no more events. The traversal then ends, and leaves lists and
  // objects open.
  virtual bool IsFull() const { return false; }
};

// The key for the name of the type in the record form of an extension value.
inline constexpr std::string_view kTypeKey = "$type";
// Returns true if `key` is `$type`, or `$type` after more `$`.
bool IsTypeKey(std::string_view key);

// Writes a value that is not a placeholder.
void WriteValue(const Value& value, ValueSink& sink);

// Writes a structure of rank 1 as an object of its columns: {"a": [1, 2]}.
void WriteColumns(const Value& structured, ValueSink& sink);

// Writes such a value as a list of its rows. Those of a tensor, ragged value or structure are the
// elements of its outermost dimension; those of a dict, named tuple or extension value records of
// its parts' rows:
//   {a: [1, 2], b: [[], [3]]}  =>  [ { "a": 1 "b": [ ] } { "a": 2 "b": [ 3 ] } ]
// Returns INVALID_ARGUMENT, before anything is written, if there are no rows or if the parts have
// different lengths.
Status WriteRows(const Value& value, ValueSink& sink);

// Appends the shortest text that reads back as `value` under `dtype`, with a point, an exponent, or
// a word.
void AppendFloat(std::string& out, double value, DType dtype);

}  // namespace signet
