// ValueConverter: the conversions that the types of a library declare, on values.
//
//   Convert(app.Thing<version=1>(..) {..}, app.Thing<version=2>(..))  =>  what its conversion makes
//
// Runs the conversion at once; of a placeholder it finds the type that would come of it. One for
// each call: thread-safe as far as `check` is.

#pragma once

#include <functional>

#include "core/function/converter.h"
#include "core/graph/body/graph.h"
#include "core/graph/flat/run_budget.h"

namespace signet {

class ValueConverter final : public Converter {
 public:
  // `library`, and what `check` (asked before each kernel) refers to, must outlive this. Each
  // conversion may take `budget`.
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
