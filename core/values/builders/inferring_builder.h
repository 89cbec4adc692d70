// InferringBuilder: builds a value from the events of ValueBuilder without a given type.
//
//   [{"a": 1, "b": ["x"]}, {"a": 2.5, "b": []}]  =>
//       [{a: float32[], b: string[(?)]}] [{a: 1.0, b: ["x"]}, {a: 2.5, b: []}]
//
// TypeInference determines the type while the events are recorded on a tape. Finish replays the
// tape to a ValueBuilder of that type, so there is only one set of rules for building values. Both
// the tape and the value respect the limits. If all lists are empty, records lose their schema;
// therefore requests are read by the types of their signature, and this class reads only values
// without a declared type. Errors and their reasons are those of TypeInference and ValueBuilder.
// Not thread-safe.

#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <absl/numeric/int128.h>

#include "core/values/builders/type_inference.h"
#include "core/values/builders/value_builder.h"
#include "core/values/growing_buffer.h"

namespace signet {

class InferringBuilder {
 public:
  explicit InferringBuilder(InferOptions options = {}, BuilderLimits limits = {},
                            InferLimits infer_limits = {});

  Status BeginList();
  Status EndList();
  Status BeginObject();
  Status Key(std::string_view name);
  Status EndObject();
  Status Null();
  Status Bool(bool value);
  Status Int(absl::int128 value);  // from -2^63 to 2^64 - 1
  Status Float(double value);
  Status String(std::string_view bytes);

  bool TakesObject() const { return true; }
  bool TakesKey(std::string_view) const { return true; }
  bool IsTypePart(std::string_view) const { return false; }
  std::optional<DType> ScalarDType() const { return dtype_; }  // dtype of the options
  std::string Path() const { return inference_.Path(); }

  // Returns the value with the inferred type and the sizes of the data.
  StatusOr<Value> Finish();

 private:
  enum class Event : uint8_t;

  Status Record(Event event);
  Status Record(Event event, std::string_view text);
  template <class T>
  Status RecordNumber(Event event, T number);
  Status Charge(size_t bytes);
  Status CountScalar();
  Status WithPlace(Status status) const;

  const std::optional<DType> dtype_;
  const BuilderLimits limits_;
  TypeInference inference_;
  GrowingBuffer tape_;  // a sequence of events, each followed by its data
  int64_t scalars_ = 0;
};

}  // namespace signet
