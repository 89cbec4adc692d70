// ValueConverter: converts values with the conversions that the extension types of a library
// declare.
//
//   Convert(app.Thing<version=1>(...) {...}, app.Thing<version=2>(...))  =>  the converted value
//
// Runs the conversion at once. For a placeholder without data, it finds the type of the result.
// Each call uses its own object; thread-safe if `check` is.

#pragma once

#include <functional>

#include "core/function/converter.h"
#include "core/graph/body/graph.h"
#include "core/graph/flat/run_budget.h"

namespace signet {

class ValueConverter final : public Converter {
 public:
  // `library` and the objects that `check` refers to must outlive this object. `check` is called
  // before each kernel. `budget` limits each conversion.
  explicit ValueConverter(const FunctionLibrary& library, std::function<Status()> check = {},
                          RunBudget budget = {})
      : library_(library), check_(std::move(check)), budget_(budget) {}

  StatusOr<std::optional<ConvertedValue>> Convert(const Value& value,
                                                  const TypeSpec& wanted) const override;

 private:
  const FunctionLibrary& library_;
  const std::function<Status()> check_;
  const RunBudget budget_;
};

}  // namespace signet
