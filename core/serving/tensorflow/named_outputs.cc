#include "core/serving/tensorflow/named_outputs.h"

#include <utility>

#include "core/serving/flat/flat_arguments.h"
#include "core/serving/tensorflow/signatures.h"
#include "signet/record_spec.h"

namespace signet::tf {

std::vector<NamedTensor> TensorsOf(const Value& result, const CalledFunction& called,
                                   const ColumnShapes& shapes) {
  std::vector<NamedTensor> out = FlattenResult(called.function->def(), result);
  for (NamedTensor& tensor : out) {
    tensor.tensor = shapes.Restore(std::move(tensor.tensor));
  }
  return out;
}

StatusOr<Value> NamedOutputsOf(const Value& result, const CalledFunction& called,
                               const ColumnShapes& shapes) {
  auto restored = [&](const Value& value) -> Value {
    return value.spec().is(TypeKind::kTensor) ? Value(shapes.Restore(value.tensor())) : value;
  };
  std::span<const std::string> names;
  if (const auto* dict = result.spec().As<DictSpec>()) names = dict->keys();
  if (const auto* tuple = result.spec().As<NamedTupleSpec>()) names = tuple->field_names();
  if (names.empty()) return restored(result);
  NamedValues items;
  const std::vector<Value> children = ChildrenOf(result);
  for (size_t i = 0; i < names.size(); ++i) {
    items.emplace_back(SourceNameOfResult(called.function->def(), names[i]), restored(children[i]));
  }
  return MakeDict(std::move(items));
}

}  // namespace signet::tf
