// ValueBuilder::Untyped: the part of ValueBuilder that builds literals, lists, and dicts without a
// type.

#pragma once

#include <string>
#include <vector>

#include "core/values/builders/value_builder.h"

namespace signet {

class ValueBuilder::Untyped {
 public:
  explicit Untyped(BuilderLimits limits) : limits_(limits) {}

  Status Begin(bool is_object);
  Status End(bool is_object);
  Status Key(std::string_view name);
  Status Scalar(Literal value);
  Status Int(absl::int128 value);  // a literal is from -2^63 to 2^64 - 1
  std::string Path() const;
  StatusOr<Value> Finish();

 private:
  // An open list or object.
  struct Frame {
    bool is_object;
    std::vector<std::string> keys;  // of an object; one more than values while a value is expected
    std::vector<Value> values;
  };

  Status CheckPlace(std::string_view found) const;
  Status Charge(size_t bytes);
  void Add(Value value);
  Status WithPlace(Status status) const;

  const BuilderLimits limits_;
  std::vector<Frame> frames_;
  Value result_;  // set when complete
  int64_t elements_ = 0;
  int64_t bytes_ = 0;
};

}  // namespace signet
