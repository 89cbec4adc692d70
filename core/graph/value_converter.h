// ValueConverter: the conversions that the types of a library declare, on values.
//
//   Convert(app.Thing<version=1>(..) {..}, app.Thing<version=2>(..))  =>  what its conversion makes
//
// Runs the conversion at once; of a placeholder it finds the type that would come of it. Stateless;
// thread-safe.

#pragma once

#include "core/function/converter.h"
#include "core/graph/graph.h"

namespace signet {

class ValueConverter final : public Converter {
 public:
  // `library` must outlive this.
  explicit ValueConverter(const FunctionLibrary& library) : library_(library) {}

  StatusOr<std::optional<Value>> Convert(const Value& value, const TypeSpec& wanted) const override;

 private:
  const FunctionLibrary& library_;
};

}  // namespace signet
