// Computes the values of an initialization that operators make of constants and of entries of the
// checkpoint, such as the numbers of the words of a vocabulary.

#include <chrono>

#include "core/frontends/savedmodel/import/function_import.h"
#include "core/frontends/savedmodel/import/initialization.h"
#include "core/model/complete_model.h"
#include "core/ops/catalog.h"
#include "core/ops/def/op_registry.h"

namespace signet {
namespace {

constexpr int64_t kMaxComputedNodes = 10'000;  // that one value needs
constexpr int64_t kMaxComputedBytes = int64_t{256} << 20;

using Clock = std::chrono::steady_clock;

// Runs the function of `importer` once, as the only function of `model`.
StatusOr<Tensor> RunOnce(FunctionImporter& importer, ModelDef& model, Clock::time_point deadline) {
  const std::string name = importer.function().def.name;
  SIGNET_ASSIGN_OR_RETURN(model.functions, std::move(importer).Finish());
  SIGNET_RETURN_IF_ERROR(CompleteModel(model, TypeRegistry(), {}));
  ModelOptions options;
  options.function.max_call_bytes = kMaxComputedBytes;
  const LoadedModel loaded("", 1, std::move(model), options);
  SIGNET_ASSIGN_OR_RETURN(const PolymorphicFunction* function, loaded.FindFunction(name));
  const RunControl control{.deadline = deadline};
  SIGNET_ASSIGN_OR_RETURN(Value value, function->Call({}, control));
  if (value.spec().is(TypeKind::kTensor)) return value.tensor();
  return InvalidArgument("expected a tensor, found `", value.spec(), "`");
}

}  // namespace

Initialization::Known Initialization::Compute(Place& place, int index, int output) {
  if (BuiltinOps().Lookup(Cat("tf.", place.graph->node(index).op())) == nullptr) return {};
  ModelDef model;
  ModelImport shared{library_, *this, model};
  FunctionImporter importer(shared, shared.names.Make("value"));
  auto bind = [&](const Known& known) -> StatusOr<Bound> {
    switch (known.kind) {
      case Known::Kind::kVariable:
        return Bound{.kind = Bound::Kind::kVariable, .index = known.index};
      case Known::Kind::kTable:
        return Bound{.kind = Bound::Kind::kTable, .index = known.index};
      case Known::Kind::kAsset:
        return Bound{.kind = Bound::Kind::kAsset, .text = known.asset};
      case Known::Kind::kTensor: {
        if (!known.tensor) return Bound();
        SIGNET_ASSIGN_OR_RETURN(CapturedValue value, Read(known.tensor));
        return importer.Capture("entry", std::move(value));
      }
      default:
        return Bound();
    }
  };
  const Clock::time_point start = Clock::now();
  auto compute = [&]() -> StatusOr<Tensor> {
    if (compute_time_ <= Clock::duration::zero()) {
      return ResourceExhausted("the values of the initialization take too long to compute");
    }
    // The entries of the checkpoint that the value needs.
    std::vector<std::pair<NodeReference, Bound>> fed;
    std::vector<NodeReference> open = {{NodeReference::Kind::kNode, index, output}};
    std::set<std::pair<int, int>> seen;
    while (!open.empty()) {
      const NodeReference reference = open.back();
      open.pop_back();
      if (reference.kind != NodeReference::Kind::kNode ||
          !seen.insert({reference.index, reference.output}).second) {
        continue;
      }
      if (static_cast<int64_t>(seen.size()) > kMaxComputedNodes ||
          ++num_steps_ > kMaxFollowedSteps) {
        return ResourceExhausted("the value needs too many nodes");
      }
      if (place.graph->node(reference.index).op() == "RestoreV2") {
        SIGNET_ASSIGN_OR_RETURN(Bound entry, bind(ValueOf(place, reference)));
        fed.emplace_back(reference, std::move(entry));
        continue;
      }
      SIGNET_ASSIGN_OR_RETURN(auto inputs, place.graph->InputsOf(reference.index));
      open.insert(open.end(), inputs.begin(), inputs.end());
    }
    BoundList arguments;
    for (const Known& argument : place.arguments) {
      SIGNET_ASSIGN_OR_RETURN(arguments.emplace_back(), bind(argument));
    }
    SIGNET_ASSIGN_OR_RETURN(BoundList values,
                            importer.ImportNodes(*place.graph, std::move(arguments), fed,
                                                 {{NodeReference::Kind::kNode, index, output}}));
    if (!values[0].is_tensor() && !importer.has_faults()) return Unimplemented("it has no value");
    importer.function().result = importer.EdgeOf(values[0]);
    return RunOnce(importer, model, start + compute_time_);
  };
  Known out{.kind = Known::Kind::kTensor};
  auto value = compute();
  compute_time_ -= Clock::now() - start;
  if (value.ok()) {
    out.tensor.computed = std::make_shared<const Tensor>(*std::move(value));
  } else {
    out.tensor.fault = Cat(place.graph->PlaceOf(index), ": ", MessageOf(value.status()));
  }
  return out;
}

}  // namespace signet
