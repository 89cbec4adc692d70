#include "core/graph/lower/value_converter.h"

#include "core/function/cast.h"
#include "core/graph/lower/evaluator.h"
#include "core/graph/lower/flat_builder.h"

namespace signet {

StatusOr<std::optional<ConvertedValue>> ValueConverter::Convert(const Value& value,
                                                                const TypeSpec& wanted) const {
  if (value.is_placeholder()) {
    FlatBuilder builder(library_, {});
    GraphValue input = builder.AddInput(value.spec());
    SIGNET_ASSIGN_OR_RETURN(auto made, builder.Convert(input, wanted));
    if (!made) return std::optional<ConvertedValue>();
    const TypeSpec& known = ContainsAny(wanted) ? made->value.spec : wanted;
    return std::optional(ConvertedValue{Value::OfType(known), std::move(made->by)});
  }
  Evaluator run(library_, check_, budget_);
  GraphValue input = run.Constant(value);
  SIGNET_RETURN_IF_ERROR(run.CheckExtensions(input, ""));
  SIGNET_ASSIGN_OR_RETURN(auto made, run.Convert(input, wanted));
  if (!made) return std::optional<ConvertedValue>();
  return std::optional(ConvertedValue{run.ValueOf(made->value), std::move(made->by)});
}

}  // namespace signet
