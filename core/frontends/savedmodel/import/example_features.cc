// Finds the features that a function reads from serialized examples.

#include <algorithm>

#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/function_import.h"

namespace signet {

void FunctionImporter::NoteUses(std::string_view op, const BoundList& inputs) {
  const bool parses = op == "tf.ParseExample" || op == "tf.ParseExampleV2";
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool is_parameter =
        inputs[i].kind == Bound::Kind::kValue && inputs[i].edge.kind == GraphEdge::Kind::kParameter;
    if (is_parameter && !(parses && i == 0)) other_uses_.insert(inputs[i].edge.index);
  }
}

StatusOr<Tensor> FunctionImporter::ConstantOf(const Bound& value) const {
  auto found = value.kind == Bound::Kind::kCapture ? model_.out.captures.find(value.text)
                                                   : model_.out.captures.end();
  if (found == model_.out.captures.end()) return Unimplemented("expected a constant");
  SIGNET_ASSIGN_OR_RETURN(Value known, found->second.Get());
  return known.tensor();
}

Status FunctionImporter::NoteFeatures(const Scope& scope, const tensorflow::NodeDef& node,
                                      const BoundList& inputs) {
  if (inputs.empty() || inputs[0].kind != Bound::Kind::kValue ||
      inputs[0].edge.kind != GraphEdge::Kind::kParameter || scope.function != functions_[0].get()) {
    return absl::OkStatus();
  }
  const int parameter = inputs[0].edge.index;
  const TypeSpec& type = functions_[0]->parameters[static_cast<size_t>(parameter)].type;
  if (type && type.shape() != nullptr && type.shape()->has_rank() && type.shape()->rank() != 1) {
    return Unimplemented("expected a vector of serialized examples, found `", type, "`");
  }
  const bool is_new = node.op() == "ParseExampleV2";
  auto list = [&](const char* name) -> const tensorflow::AttrValue::ListValue& {
    const auto* value = Attribute(scope, node, name);
    return value == nullptr ? tensorflow::AttrValue::ListValue::default_instance() : value->list();
  };
  // The keys of the kinds of features: sparse, dense, and ragged.
  std::vector<std::string> keys[3];
  size_t next = 2;
  auto read = [&](std::vector<std::string>& out) -> Status {
    if (next >= inputs.size()) return InvalidArgument("missing input ", next);
    SIGNET_ASSIGN_OR_RETURN(Tensor texts, ConstantOf(inputs[next++]));
    if (!texts.is_string()) return InvalidArgument("expected names of features");
    for (int64_t i = 0; i < texts.num_elements(); ++i) out.emplace_back(texts.string_at(i));
    return absl::OkStatus();
  };
  if (is_new) {
    for (auto& kind : keys) SIGNET_RETURN_IF_ERROR(read(kind));
  } else {
    const int64_t counts[] = {IntAttributeOr(node, "Nsparse", 0),
                              IntAttributeOr(node, "Ndense", 0)};
    for (size_t kind = 0; kind < 2; ++kind) {
      for (int64_t i = 0; i < counts[kind]; ++i) SIGNET_RETURN_IF_ERROR(read(keys[kind]));
    }
  }
  const auto& dense_types = list("Tdense").type();
  const auto& shapes = list("dense_shapes").shape();
  const auto& sparse_types = list("sparse_types").type();
  const auto& ragged_types = list("ragged_value_types").type();
  if (keys[0].size() != static_cast<size_t>(sparse_types.size()) ||
      keys[1].size() != static_cast<size_t>(dense_types.size()) ||
      keys[1].size() != static_cast<size_t>(shapes.size()) ||
      keys[2].size() != static_cast<size_t>(ragged_types.size()) ||
      inputs.size() != next + keys[1].size()) {
    return InvalidArgument("expected one dtype and one shape per feature");
  }
  std::vector<ExampleFeature>& features = features_[parameter];
  for (size_t kind : {size_t{0}, size_t{2}}) {
    const auto& types = kind == 0 ? sparse_types : ragged_types;
    for (size_t i = 0; i < keys[kind].size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(DType dtype,
                              tf::StoredDTypeFromNumber(types.Get(static_cast<int>(i))));
      features.push_back({keys[kind][i], dtype});
    }
  }
  for (size_t i = 0; i < keys[1].size(); ++i) {
    const int at = static_cast<int>(i);
    SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(dense_types.Get(at)));
    if (shapes.Get(at).unknown_rank()) return Unimplemented("unknown rank");
    std::vector<int64_t> shape;
    for (const auto& dim : shapes.Get(at).dim()) shape.push_back(dim.size());
    auto constant = ConstantOf(inputs[next + i]);
    features.push_back(
        {keys[1][i], dtype, std::move(shape), !constant.ok() || constant->num_elements() > 0});
  }
  return absl::OkStatus();
}

std::optional<std::vector<ExampleFeature>> FunctionImporter::FeaturesOf(int parameter) const {
  auto found = features_.find(parameter);
  if (found == features_.end() || other_uses_.contains(parameter)) return std::nullopt;
  std::vector<ExampleFeature> out;
  for (const ExampleFeature& feature : found->second) {
    auto same = std::find_if(out.begin(), out.end(),
                             [&](const ExampleFeature& other) { return other.key == feature.key; });
    if (same == out.end()) {
      out.push_back(feature);
    } else if (same->dtype != feature.dtype || same->shape != feature.shape ||
               same->has_default != feature.has_default) {
      return std::nullopt;
    }
  }
  return out;
}

}  // namespace signet
