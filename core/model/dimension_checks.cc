#include "core/model/dimension_checks.h"

#include <map>

#include "core/types/identifier.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

// A use of a name: a dimension of a parameter.
struct Use {
  int parameter;
  int axis;
};

Status CheckNames(const Parameter* parameter, const std::vector<std::string>& names) {
  if (parameter == nullptr) return NotFound("parameter not found");
  const PartialShape* shape =
      parameter->type && parameter->type.is(TypeKind::kTensor) ? parameter->type.shape() : nullptr;
  if (shape == nullptr || !shape->has_rank() || IsVariadic(parameter->kind)) {
    return InvalidArgument("expected a parameter that is one tensor of known rank");
  }
  if (names.size() != static_cast<size_t>(shape->rank())) {
    return InvalidArgument("expected ", shape->rank(), " names, one per dimension, found ",
                           names.size());
  }
  for (int i = 0; i < shape->rank(); ++i) {
    const std::string& name = names[static_cast<size_t>(i)];
    if (name.empty()) continue;
    if (!IsIdentifier(name))
      return InvalidArgument("expected an identifier, found `", Printable(name), "`");
    if (shape->dim(i) != kUnknownDim) {
      return InvalidArgument("dimension ", i, ": expected a size or a name, found both ",
                             shape->dim(i), " and `", name, "`");
    }
  }
  return absl::OkStatus();
}

}  // namespace

Status CheckDimensionNames(const FunctionType& type, const DimensionNames& names) {
  for (const auto& [name, dims] : names) {
    Status status = CheckNames(type.LookupParameter(name), dims);
    if (!status.ok()) return At(Cat("dimension_names of `", Printable(name), "`"), status);
  }
  return absl::OkStatus();
}

void AddSizeChecks(std::span<const Parameter> parameters, const DimensionNames& names,
                   GraphBuilder& build) {
  std::map<std::string, std::vector<Use>> uses;
  for (size_t i = 0; i < parameters.size(); ++i) {
    auto found = names.find(parameters[i].name);
    if (found == names.end()) continue;
    for (size_t axis = 0; axis < found->second.size(); ++axis) {
      const std::string& name = found->second[axis];
      if (!name.empty()) uses[name].push_back({static_cast<int>(i), static_cast<int>(axis)});
    }
  }
  for (const auto& [name, places] : uses) {
    if (places.size() == 1) continue;
    GraphBuilder::Edges inputs;
    std::vector<TypeSpec> axes;
    std::vector<TypeSpec> parameter_names;
    for (const Use& use : places) {
      inputs.push_back({GraphEdge::Kind::kParameter, use.parameter});
      axes.push_back(AttributeOf(use.axis));
      parameter_names.push_back(AttributeOf(parameters[static_cast<size_t>(use.parameter)].name));
    }
    build.AddSignatureCheck(Cat("dimension ", name), "same_size", std::move(inputs),
                            Attributes({{"axes", ListType(std::move(axes))},
                                        {"parameters", ListType(std::move(parameter_names))},
                                        {"name", AttributeOf(name)}}));
  }
}

}  // namespace signet
