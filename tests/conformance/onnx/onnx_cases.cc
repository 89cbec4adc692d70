#include "tests/conformance/onnx/onnx_cases.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>
#include <set>

#include <onnx/onnx-data_pb.h>
#include <onnx/onnx_pb.h>

#include "core/frontends/load_model.h"
#include "core/frontends/onnx/import/onnx_tensor.h"
#include "core/frontends/onnx/lower/build/field_names.h"
#include "core/model/unique_names.h"
#include "signet/ops/indexing.h"
#include "signet/ops/ragged.h"
#include "signet/structured.h"
#include "tests/server/test_server.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

template <class Proto>
StatusOr<Proto> ReadProto(const fs::path& path) {
  Proto proto;
  if (!fs::exists(path)) return NotFound("no file ", path.string());
  if (proto.ParseFromString(ReadAll(path))) return proto;
  return InvalidArgument("not a message: ", path.string());
}

StatusOr<Value> ValueOfTensor(const onnx::TensorProto& proto) {
  OnnxFile none;
  ExternalFiles files(none);
  SIGNET_ASSIGN_OR_RETURN(Tensor tensor, TensorFromOnnx(proto, files));
  return Value(std::move(tensor));
}

StatusOr<Value> ValueOfSequence(const onnx::SequenceProto& proto) {
  std::vector<Value> elements;
  for (const auto& tensor : proto.tensor_values()) {
    SIGNET_ASSIGN_OR_RETURN(Value element, ValueOfTensor(tensor));
    elements.push_back(std::move(element));
  }
  for (const auto& sequence : proto.sequence_values()) {
    SIGNET_ASSIGN_OR_RETURN(Value element, ValueOfSequence(sequence));
    elements.push_back(std::move(element));
  }
  return ListOf(elements);
}

StatusOr<Value> ValueOfFile(const fs::path& path, const onnx::TypeProto& type) {
  if (type.has_sequence_type()) {
    SIGNET_ASSIGN_OR_RETURN(auto proto, ReadProto<onnx::SequenceProto>(path));
    return ValueOfSequence(proto);
  }
  if (type.has_optional_type()) {
    SIGNET_ASSIGN_OR_RETURN(auto proto, ReadProto<onnx::OptionalProto>(path));
    if (proto.has_tensor_value()) return ValueOfTensor(proto.tensor_value());
    if (proto.has_sequence_value()) return ValueOfSequence(proto.sequence_value());
    return Value::None();
  }
  SIGNET_ASSIGN_OR_RETURN(auto proto, ReadProto<onnx::TensorProto>(path));
  // The suite has the bits of bfloat16 numbers as uint16.
  using Tensor = onnx::TensorProto;
  bool is_brain = type.tensor_type().elem_type() == Tensor::BFLOAT16;
  if (is_brain && proto.data_type() == Tensor::UINT16) proto.set_data_type(Tensor::BFLOAT16);
  return ValueOfTensor(proto);
}

// --- comparing ----------------------------------------------------------------------------------

double ElementAsDouble(const Tensor& tensor, int64_t i) {
  auto at = static_cast<size_t>(i);
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return tensor.elements<float>()[at];
    case DType::kFloat64:
      return tensor.elements<double>()[at];
    case DType::kFloat16:
      return ToFloat(tensor.elements<Float16>()[at]);
    default:
      return ToFloat(tensor.elements<BFloat16>()[at]);
  }
}

std::string CompareTensors(const Tensor& found, const Tensor& wanted, const OnnxTolerance& within) {
  if (found.dtype() != wanted.dtype() || found.shape() != wanted.shape()) {
    return Cat("expected `", wanted.spec(), "`, found `", found.spec(), "`");
  }
  if (!IsFloat(wanted.dtype())) {
    if (SameTensor(found, wanted)) return "";
    return "other elements";
  }
  for (int64_t i = 0; i < wanted.num_elements(); ++i) {
    double a = ElementAsDouble(found, i);
    double b = ElementAsDouble(wanted, i);
    if (std::isnan(b) ? std::isnan(a) : a == b) continue;
    if (std::abs(a - b) <= within.absolute + within.relative * std::abs(b)) continue;
    return Cat("element ", i, ": expected ", b, ", found ", a);
  }
  return "";
}

// Returns the elements of a list, or the rows of a tensor or ragged value: a list whose length is
// known only after the run is returned in this form.
std::vector<Value> ElementsOf(const Value& list) {
  if (list.spec().is(TypeKind::kList)) return ChildrenOf(list);
  std::vector<Value> rows;
  for (int64_t i = 0;; ++i) {
    auto row = GetItem(list, {i});
    if (row.ok() && row->spec().is(TypeKind::kRagged)) row = RaggedToDense(*row);
    if (!row.ok()) return rows;
    rows.push_back(*std::move(row));
  }
}

std::string CompareValues(const Value& found, const Value& wanted, const OnnxTolerance& within) {
  if (wanted.spec().is(TypeKind::kTensor)) {
    if (!found.spec().is(TypeKind::kTensor))
      return Cat("expected a tensor, found `", found.spec(), "`");
    return CompareTensors(found.tensor(), wanted.tensor(), within);
  }
  if (!wanted.spec().is(TypeKind::kList)) {
    return SameValue(found, wanted) ? "" : Cat("`", found.spec(), "`");
  }
  std::vector<Value> own = ElementsOf(found);
  std::vector<Value> others = ChildrenOf(wanted);
  if (own.size() != others.size()) {
    return Cat("expected a list of ", others.size(), ", found `", found.spec(), "`");
  }
  for (size_t i = 0; i < own.size(); ++i) {
    std::string why = CompareValues(own[i], others[i], within);
    if (!why.empty()) return Cat("[", i, "]: ", why);
  }
  return "";
}

// Compares the result of ZipMap, records with one field per key, with maps.
std::string CompareMaps(const Value& found, const onnx::SequenceProto& wanted,
                        const OnnxTolerance& within) {
  if (!found.spec().is(TypeKind::kStructured))
    return Cat("expected records, found `", found.spec(), "`");
  for (int row = 0; row < wanted.map_values_size(); ++row) {
    const onnx::MapProto& map = wanted.map_values(row);
    std::vector<std::string> keys(map.string_keys().begin(), map.string_keys().end());
    for (int64_t key : map.keys()) keys.push_back(std::to_string(key));
    std::vector<std::string> names = FieldNamesOf(keys);
    for (size_t k = 0; k < keys.size(); ++k) {
      auto field = FieldOf(found, names[k]);
      if (!field.ok()) return std::string(MessageOf(field.status()));
      if (row >= field->tensor().num_elements()) return Cat("record ", row, " is missing");
      bool is_one = map.values().tensor_values_size() == 1;
      auto values = ValueOfTensor(map.values().tensor_values(is_one ? 0 : static_cast<int>(k)));
      if (!values.ok()) return std::string(MessageOf(values.status()));
      double a = ElementAsDouble(field->tensor(), row);
      double b = ElementAsDouble(values->tensor(), is_one ? static_cast<int64_t>(k) : 0);
      if (std::abs(a - b) > within.absolute + within.relative * std::abs(b)) {
        return Cat("record ", row, ", ", keys[k], ": expected ", b, ", found ", a);
      }
    }
  }
  return "";
}

OnnxOutcome Rejected(const Status& status) {
  return {OnnxVerdict::kRejected, std::string(MessageOf(status))};
}
OnnxOutcome Differs(std::string why) { return {OnnxVerdict::kDiffers, std::move(why)}; }

void AddOperators(const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes,
                  std::set<std::string>& out) {
  for (const auto& node : nodes) {
    bool is_standard = node.domain().empty() || node.domain() == "ai.onnx";
    out.insert(is_standard ? node.op_type() : Cat(node.domain(), ".", node.op_type()));
    for (const auto& attribute : node.attribute()) {
      if (attribute.has_g()) AddOperators(attribute.g().node(), out);
    }
  }
}

}  // namespace

struct OnnxRunner::Serving {
  TestServer server;
  ServiceClient client = server.MakeClient();
};

OnnxRunner::OnnxRunner() : serving_(std::make_unique<Serving>()) {}
OnnxRunner::~OnnxRunner() = default;

OnnxOutcome OnnxRunner::Run(const fs::path& folder, const OnnxTolerance& tolerance,
                            std::vector<std::string> sets) {
  auto proto = ReadProto<onnx::ModelProto>(folder / "model.onnx");
  if (!proto.ok()) return Rejected(proto.status());
  const onnx::GraphProto& graph = proto->graph();
  auto model = LoadModel(folder, "case", 1, {});
  if (!model.ok()) return Rejected(model.status());
  serving_->server.server().repository().Add(*model);

  if (sets.empty()) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_directory()) sets.push_back(entry.path().filename().string());
    }
    std::sort(sets.begin(), sets.end());
  }
  if (sets.empty()) return Differs("no set of inputs");
  for (const std::string& set : sets) {
    CallSpec call{.model = {.name = "case"}, .function = "main"};
    auto inputs = ReadOnnxInputs(folder / "model.onnx", folder / set);
    if (!inputs.ok()) return Rejected(inputs.status());
    call.args.assign(inputs->begin(), inputs->end());
    auto answer = serving_->client.Call(call);
    if (!answer.ok()) return Rejected(answer.status());
    UniqueNames names;
    for (int i = 0; i < graph.output_size(); ++i) {
      Value found = answer->result;
      if (graph.output_size() > 1) {
        std::string key = names.Make(graph.output(i).name());
        auto keys = answer->result.spec().As<DictSpec>()->keys();
        auto at = std::find(keys.begin(), keys.end(), key);
        if (at == keys.end()) return Differs(Cat("no output `", key, "`"));
        found = ChildrenOf(answer->result)[static_cast<size_t>(at - keys.begin())];
      }
      fs::path path = folder / set / Cat("output_", i, ".pb");
      std::string why;
      const onnx::TypeProto& type = graph.output(i).type();
      if (type.has_sequence_type() && type.sequence_type().elem_type().has_map_type()) {
        auto wanted = ReadProto<onnx::SequenceProto>(path);
        if (!wanted.ok()) return Rejected(wanted.status());
        why = CompareMaps(found, *wanted, tolerance);
      } else {
        auto wanted = ValueOfFile(path, type);
        if (!wanted.ok()) return Rejected(wanted.status());
        why = CompareValues(found, *wanted, tolerance);
      }
      if (!why.empty()) return Differs(Cat(set, ", output ", i, ": ", why));
    }
  }
  return {};
}

StatusOr<std::vector<Value>> ReadOnnxInputs(const fs::path& model, const fs::path& set) {
  SIGNET_ASSIGN_OR_RETURN(auto proto, ReadProto<onnx::ModelProto>(model));
  std::set<std::string> initialized;
  for (const auto& tensor : proto.graph().initializer()) initialized.insert(tensor.name());
  std::vector<Value> out;
  for (const auto& input : proto.graph().input()) {
    if (initialized.contains(input.name())) continue;
    SIGNET_ASSIGN_OR_RETURN(Value value,
                            ValueOfFile(set / Cat("input_", out.size(), ".pb"), input.type()));
    out.push_back(std::move(value));
  }
  return out;
}

std::vector<std::string> OperatorsIn(const fs::path& model) {
  std::set<std::string> out;
  auto proto = ReadProto<onnx::ModelProto>(model);
  if (proto.ok()) {
    AddOperators(proto->graph().node(), out);
    for (const auto& function : proto->functions()) AddOperators(function.node(), out);
  }
  return {out.begin(), out.end()};
}

}  // namespace signet
