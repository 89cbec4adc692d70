// Imports signatures: named inputs and outputs of the graph.

#include <algorithm>

#include <absl/strings/ascii.h>
#include <google/protobuf/text_format.h>

#include "core/base/utf8.h"
#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "core/frontends/savedmodel/import/model_functions.h"
#include "core/frontends/savedmodel/import/structured_types.h"
#include "core/frontends/savedmodel/lower/record_fields.h"
#include "core/ops/def/attribute_list.h"
#include "signet/ragged_spec.h"
#include "signet/sparse_spec.h"
#include "signet/structured_spec.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kMaxSignatures = 1024;
constexpr size_t kMaxInputs = 4096;
constexpr int kLastProducerOfUnknownShapes = 21;  // wrote the shape [] for any shape

template <class Map>
std::vector<std::string> SortedKeys(const Map& map) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : map) keys.push_back(key);
  std::sort(keys.begin(), keys.end());
  return keys;
}

// Returns names for the keys of `map`, each of which keeps its name if it is an identifier.
// Parameters of different functions may have the same name.
template <class Map>
UniqueNames ReservedNames(const Map& map) {
  UniqueNames names;
  for (const auto& [key, value] : map) names.Reserve(key);
  return names;
}

StatusOr<PartialShape> ShapeOf(const tensorflow::TensorInfo& info) {
  if (!info.has_tensor_shape()) return PartialShape();
  return PartialShapeFromGraph(info.tensor_shape());
}

// The type of a tensor of the graph that a signature feeds. The dtype of the node counts, because
// the signature may contradict it.
StatusOr<TypeSpec> TypeOfInput(const ModelImport& model, const NodeReference& reference,
                               const tensorflow::TensorInfo& info) {
  const tensorflow::NodeDef& node = model.library.graph().node(reference.index);
  const bool is_placeholder = node.op().starts_with("Placeholder");
  int data_type = info.dtype();
  const char* attribute = is_placeholder ? "dtype" : node.op() == "Identity" ? "T" : "";
  if (const auto* stated = LookupAttribute(node, attribute)) data_type = stated->type();
  SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(data_type));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(info));
  const auto* own = is_placeholder ? LookupAttribute(node, "shape") : nullptr;
  if (own != nullptr && own->has_shape()) {
    SIGNET_ASSIGN_OR_RETURN(PartialShape stated, PartialShapeFromGraph(own->shape()));
    const bool is_unknown =
        own->shape().dim_size() == 0 &&
        model.library.model().graph_def().versions().producer() <= kLastProducerOfUnknownShapes;
    if (!is_unknown) {
      auto both = shape.MergeWith(stated);
      shape = both.ok() ? *std::move(both) : std::move(stated);
    }
  }
  return TensorType(dtype, std::move(shape));
}

// The default value of an input: that of the signature, or the value of the placeholder.
StatusOr<std::optional<Value>> DefaultOf(const ModelImport& model,
                                         const tensorflow::SignatureDef& signature,
                                         const std::string& key, const NodeReference& reference) {
  const tensorflow::TensorProto* found = nullptr;
  auto stated = signature.defaults().find(key);
  const NodeGraph& graph = model.library.graph();
  if (stated != signature.defaults().end()) {
    found = &stated->second;
  } else if (graph.node(reference.index).op() == "PlaceholderWithDefault") {
    NodeReference at = reference;
    for (int i = 0; i < 100; ++i) {
      const auto& node = graph.node(at.index);
      if (node.op() == "Const") {
        const auto* value = LookupAttribute(node, "value");
        if (value != nullptr) found = &value->tensor();
        break;
      }
      if (node.op() != "Identity" && node.op() != "PlaceholderWithDefault") break;
      SIGNET_ASSIGN_OR_RETURN(auto inputs, graph.InputsOf(at.index));
      if (inputs.empty()) break;
      at = inputs[0];
    }
  }
  if (found == nullptr) return std::optional<Value>();
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromGraph(*found));
  return std::optional<Value>(Value(std::move(tensor)));
}

class SignatureImporter {
 public:
  SignatureImporter(ModelImport& model, FunctionImporter& importer,
                    const tensorflow::SignatureDef& signature)
      : model_(model),
        importer_(importer),
        signature_(signature),
        parameter_names_(ReservedNames(signature.inputs())) {}

  // If `records` is set, the function gets records for the parameter that is number
  // `records_parameter`.
  void UseRecords(int parameter, TypeSpec records) {
    records_parameter_ = parameter;
    records_ = std::move(records);
  }

  Status Import() {
    if (signature_.inputs().size() > kMaxInputs) {
      return ResourceExhausted("inputs exceed the limit of ", kMaxInputs);
    }
    if (signature_.outputs().empty()) return Unimplemented("the signature has no outputs");
    for (const std::string& key : SortedKeys(signature_.inputs())) {
      SIGNET_RETURN_IF_ERROR(
          At(Cat("input `", Printable(key), "`"), AddInput(key, signature_.inputs().at(key))));
    }
    const std::vector<std::string> keys = SortedKeys(signature_.outputs());
    std::vector<NodeReference> references;
    for (const std::string& key : keys) {
      const auto& info = signature_.outputs().at(key);
      SIGNET_RETURN_IF_ERROR(
          At(Cat("output `", Printable(key), "`"), AddReferences(info, references)));
    }
    SIGNET_ASSIGN_OR_RETURN(BoundList values, importer_.ImportFromGraph(fed_, references));
    BoundList results;
    size_t next = 0;
    UniqueNames names = ReservedNames(signature_.outputs());
    std::vector<std::string> output_names;
    for (const std::string& key : keys) {
      const auto& info = signature_.outputs().at(key);
      const size_t end = next + static_cast<size_t>(NumTensors(info));
      for (size_t i = next; i < end; ++i) {
        if (!values[i].is_tensor() && !importer_.has_faults()) {
          importer_.AddFault(Cat("output `", Printable(key), "` has no value"));
        }
      }
      if (info.has_coo_sparse()) {
        results.push_back(importer_.AddNode("sparse", "sparse_from_entries",
                                            {values[next + 1], values[next], values[next + 2]}));
      } else if (info.has_composite_tensor()) {
        const BoundList parts(values.begin() + static_cast<int64_t>(next),
                              values.begin() + static_cast<int64_t>(end));
        size_t used = 0;
        SIGNET_ASSIGN_OR_RETURN(results.emplace_back(),
                                ValueOfComponents(importer_, CompositeOf(info), parts, used));
      } else {
        results.push_back(values[next]);
      }
      next = end;
      output_names.push_back(names.Make(key));
      if (output_names.back() != key) AddMetadata(Cat("output.", output_names.back()), key);
    }
    importer_.function().result =
        importer_
            .AddNode("result", "make_dict", results, {{"names", AttributeListOf(output_names)}})
            .edge;
    return absl::OkStatus();
  }

 private:
  static int NumTensors(const tensorflow::TensorInfo& info) {
    if (info.has_composite_tensor()) return info.composite_tensor().components_size();
    return info.has_coo_sparse() ? 3 : 1;
  }

  // The type of a composite value as the type of a value of a function.
  static tensorflow::StructuredValue CompositeOf(const tensorflow::TensorInfo& info) {
    tensorflow::StructuredValue type;
    *type.mutable_type_spec_value() = info.composite_tensor().type_spec();
    return type;
  }

  // Appends the tensors of a value of a signature: for a sparse value, its values, its indices, and
  // its shape.
  Status AddReferences(const tensorflow::TensorInfo& info, std::vector<NodeReference>& out) const {
    std::vector<std::string> names;
    if (info.has_coo_sparse()) {
      names = {info.coo_sparse().values_tensor_name(), info.coo_sparse().indices_tensor_name(),
               info.coo_sparse().dense_shape_tensor_name()};
    } else if (info.has_composite_tensor()) {
      for (const auto& component : info.composite_tensor().components()) {
        names.push_back(component.name());
      }
    } else {
      names = {info.name()};
    }
    for (const std::string& name : names) {
      SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), model_.library.graph().Resolve(name));
      if (out.back().kind != NodeReference::Kind::kNode) {
        return InvalidArgument("expected a tensor, found `", Printable(name), "`");
      }
    }
    return absl::OkStatus();
  }

  Status AddInput(const std::string& key, const tensorflow::TensorInfo& info) {
    std::vector<NodeReference> references;
    SIGNET_RETURN_IF_ERROR(AddReferences(info, references));
    const std::string name = parameter_names_.Make(key);
    GraphFunction& function = importer_.function();
    const ParameterKind kind = signature_.inputs().size() == 1 ? ParameterKind::kPositionalOrKeyword
                                                               : ParameterKind::kKeywordOnly;
    if (name != key) {
      AddMetadata(Cat("input.", name), key);
      function.def.parameter_docs[name] =
          Cat("`", AsUtf8(Printable(key)), "` in the signature of TensorFlow.");
    }
    if (info.has_composite_tensor()) {
      const tensorflow::StructuredValue composite = CompositeOf(info);
      SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                              TypeFromStructured(composite, importer_.extension_classes()));
      BoundList parts;
      SIGNET_RETURN_IF_ERROR(AppendComponents(
          importer_, composite, importer_.AddParameter(name, std::move(type), kind, false), parts));
      if (parts.size() != references.size()) {
        return InvalidArgument("expected ", parts.size(), " tensors, found ", references.size());
      }
      for (size_t i = 0; i < parts.size(); ++i) fed_.emplace_back(references[i], parts[i]);
      return absl::OkStatus();
    }
    if (info.has_coo_sparse()) {
      SIGNET_ASSIGN_OR_RETURN(DType dtype, tf::StoredDTypeFromNumber(info.dtype()));
      SIGNET_ASSIGN_OR_RETURN(PartialShape shape, ShapeOf(info));
      const Bound value =
          importer_.AddParameter(name, SparseType(dtype, std::move(shape)), kind, false);
      Bound part = importer_.AddNode("sparse", "tf.SparseParts", {value});
      for (size_t i : {size_t{1}, size_t{0}, size_t{2}}) {
        fed_.emplace_back(references[i], part);
        ++part.edge.output;
      }
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(TypeSpec type, TypeOfInput(model_, references[0], info));
    if (records_ && static_cast<int>(function.parameters.size()) == records_parameter_) {
      fed_.emplace_back(references[0], importer_.AddParameter(name, records_, kind, false));
      return absl::OkStatus();
    }
    SIGNET_ASSIGN_OR_RETURN(auto value, DefaultOf(model_, signature_, key, references[0]));
    if (value && !IsSubtype(value->spec(), type)) value.reset();
    const Bound parameter = importer_.AddParameter(name, type, kind, value.has_value());
    if (value) function.def.defaults.insert_or_assign(name, *std::move(value));
    for (const auto& [reference, other] : fed_) {
      if (reference.index != references[0].index || reference.output != references[0].output) {
        continue;
      }
      // Two inputs that are one tensor must have the same value.
      if (other.edge.kind != GraphEdge::Kind::kParameter) {
        return Unimplemented("its tensor is a part of another input");
      }
      const std::string& first = function.parameters[static_cast<size_t>(other.edge.index)].name;
      const Bound same = importer_.AddNode("same", "is_same", {other, parameter});
      importer_.AddNode(
          "check", "check_true", {same},
          {{"message", AttributeOf(Cat("`", first, "` and `", name,
                                       "` are one tensor of the model; expected equal values"))}});
      return absl::OkStatus();
    }
    fed_.emplace_back(references[0], parameter);
    return absl::OkStatus();
  }

  void AddMetadata(const std::string& what, const std::string& key) {
    model_.out.metadata[Cat("savedmodel.", importer_.function().def.name, ".", what)] = AsUtf8(key);
  }

  ModelImport& model_;
  FunctionImporter& importer_;
  const tensorflow::SignatureDef& signature_;
  UniqueNames parameter_names_;
  int records_parameter_ = -1;
  TypeSpec records_;
  std::vector<std::pair<NodeReference, Bound>> fed_;
};

// Returns true if a function may have the name `key`, or a similar one. Functions whose names begin
// with an underscore are not public.
bool IsPublic(std::string_view key) {
  return !key.empty() && absl::ascii_isalpha(static_cast<unsigned char>(key[0]));
}

// Returns the type of records with one field per feature.
StatusOr<TypeSpec> RecordsOf(const std::vector<ExampleFeature>& features) {
  std::set<std::string> keys;
  for (const ExampleFeature& feature : features) keys.insert(feature.key);
  const auto names = RecordFieldNames(keys);
  NamedTypes fields;
  for (const ExampleFeature& feature : features) {
    Dims dims = {kUnknownDim};
    const bool is_dense = feature.shape.has_value();
    const bool is_open = is_dense && !feature.shape->empty() && feature.shape->front() < 0;
    // A row without values has the default value.
    const bool is_ragged = !is_dense || is_open || feature.has_default;
    if (is_ragged) dims.push_back(kUnknownDim);
    const size_t first = is_ragged ? 1 : 0;
    for (size_t i = first; is_dense && i < feature.shape->size(); ++i) {
      if ((*feature.shape)[i] < 0) return Unimplemented("unknown size");
      dims.push_back((*feature.shape)[i]);
    }
    const PartialShape shape{std::span<const int64_t>(dims)};
    if (is_ragged) {
      SIGNET_ASSIGN_OR_RETURN(TypeSpec type,
                              MakeRaggedType(feature.dtype, shape, 1, DType::kInt64));
      // A record that lacks the feature has no elements, as an example that lacks it.
      type = type.rep().WithNotes({}, {{}, {}, ListType({})});
      fields.emplace_back(names.at(feature.key), std::move(type));
    } else {
      fields.emplace_back(names.at(feature.key), TensorType(feature.dtype, shape));
    }
  }
  return MakeStructuredType(PartialShape{kUnknownDim}, std::move(fields), {});
}

// Adds `NAME_records`, which has records in place of the serialized examples of a parameter.
Status AddRecordsFunction(ModelImport& model, const std::string& name,
                          const tensorflow::SignatureDef& signature,
                          const FunctionImporter& examples, size_t num_parameters) {
  for (size_t i = 0; i < num_parameters; ++i) {
    auto features = examples.FeaturesOf(static_cast<int>(i));
    if (!features || features->empty()) continue;
    auto records = RecordsOf(*features);
    if (!records.ok()) return absl::OkStatus();
    FunctionImporter importer(model, model.names.Make(Cat(name, "_records")));
    GraphFunction& function = importer.function();
    function.def.doc =
        Cat("`", name, "` for records: the features of each example are the fields of a record.");
    SignatureImporter twin(model, importer, signature);
    twin.UseRecords(static_cast<int>(i), *records);
    if (!twin.Import().ok()) return absl::OkStatus();
    std::set<std::string> keys;
    for (const ExampleFeature& feature : *features) keys.insert(feature.key);
    std::string doc;
    for (const auto& [key, field] : RecordFieldNames(keys)) {
      if (key == field) continue;
      doc += Cat(doc.empty() ? "" : " ", "`", field, "` is the feature `", AsUtf8(Printable(key)),
                 "`.");
    }
    if (!doc.empty() && i < function.parameters.size()) {
      function.def.parameter_docs[function.parameters[i].name] = doc;
    }
    auto functions = std::move(importer).Finish();
    if (!functions.ok()) return absl::OkStatus();
    for (FunctionDef& added : *functions) model.out.functions.push_back(std::move(added));
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<bool> AddFunctions(ModelImport& model, FunctionImporter& importer,
                            const Status& imported) {
  const std::string name = importer.function().def.name;
  if (absl::IsDataLoss(imported)) return imported;
  auto functions =
      imported.ok() ? std::move(importer).Finish() : StatusOr<std::vector<FunctionDef>>(imported);
  if (!functions.ok()) {
    model.out.metadata[Cat("unavailable.", name)] =
        AsUtf8(std::string(MessageOf(functions.status())));
    return false;
  }
  for (FunctionDef& function : *functions) model.out.functions.push_back(std::move(function));
  return true;
}

StatusOr<std::vector<SignatureName>> NameSignatures(ModelImport& model) {
  std::vector<SignatureName> out;
  for (const auto& [key, signature] : model.library.model().signature_def()) {
    if (IsPublic(key)) model.names.Reserve(key);
  }
  for (const std::string& key : SortedKeys(model.library.model().signature_def())) {
    if (key.starts_with("__")) continue;
    if (out.size() == kMaxSignatures) {
      return ResourceExhausted("signatures exceed the limit of ", kMaxSignatures);
    }
    out.push_back({key, model.names.Make(IsPublic(key) ? key : Cat("signature_", key))});
  }
  return out;
}

Status AddSignatures(ModelImport& model, const std::vector<SignatureName>& functions) {
  const auto& signatures = model.library.model().signature_def();
  // Names of parameters are not used for anything else.
  std::set<std::string> parameters;
  for (const auto& [key, name] : functions) {
    UniqueNames names = ReservedNames(signatures.at(key).inputs());
    for (const std::string& input : SortedKeys(signatures.at(key).inputs())) {
      parameters.insert(names.Make(input));
    }
  }
  for (const std::string& parameter : parameters) model.names.Make(parameter);
  for (const auto& [key, name] : functions) {
    const tensorflow::SignatureDef& signature = signatures.at(key);
    FunctionImporter importer(model, name);
    importer.function().def.doc =
        Cat("Signature `", AsUtf8(Printable(key)), "` of ", model.source,
            signature.method_name().empty()
                ? ""
                : Cat(", for the method `", AsUtf8(Printable(signature.method_name())), "`"),
            ".");
    model.out.metadata[Cat("savedmodel.", name, ".signature")] = AsUtf8(key);
    model.out.metadata[Cat("savedmodel.", name, ".method")] = AsUtf8(signature.method_name());
    const Status imported = SignatureImporter(model, importer, signature).Import();
    const size_t num_parameters = importer.function().parameters.size();
    SIGNET_ASSIGN_OR_RETURN(bool added, AddFunctions(model, importer, imported));
    if (!added) continue;
    google::protobuf::TextFormat::Printer printer;
    printer.SetSingleLineMode(true);
    printer.SetHideUnknownFields(true);
    printer.PrintToString(signature,
                          &model.out.metadata[Cat("savedmodel.", name, ".signature_def")]);
    SIGNET_RETURN_IF_ERROR(AddRecordsFunction(model, name, signature, importer, num_parameters));
  }
  return absl::OkStatus();
}

}  // namespace signet
