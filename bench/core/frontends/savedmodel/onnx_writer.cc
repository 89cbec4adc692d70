#include "bench/core/frontends/savedmodel/onnx_writer.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

constexpr int kOpset = 18;

// Ops with the same inputs and no attributes.
const std::map<std::string_view, std::string_view>& SameOps() {
  static const auto* const ops = new std::map<std::string_view, std::string_view>{
      {"abs", "Abs"},
      {"add", "Add"},
      {"ceil", "Ceil"},
      {"clip", "Clip"},
      {"cos", "Cos"},
      {"div", "Div"},
      {"equal", "Equal"},
      {"erf", "Erf"},
      {"exp", "Exp"},
      {"floor", "Floor"},
      {"greater", "Greater"},
      {"greater_equal", "GreaterOrEqual"},
      {"identity", "Identity"},
      {"less", "Less"},
      {"less_equal", "LessOrEqual"},
      {"log", "Log"},
      {"logical_and", "And"},
      {"logical_not", "Not"},
      {"logical_or", "Or"},
      {"maximum", "Max"},
      {"minimum", "Min"},
      {"mul", "Mul"},
      {"neg", "Neg"},
      {"pow", "Pow"},
      {"reciprocal", "Reciprocal"},
      {"relu", "Relu"},
      {"round", "Round"},
      {"select", "Where"},
      {"sigmoid", "Sigmoid"},
      {"sign", "Sign"},
      {"sin", "Sin"},
      {"softplus", "Softplus"},
      {"sqrt", "Sqrt"},
      {"sub", "Sub"},
      {"tanh", "Tanh"},
  };
  return *ops;
}

StatusOr<int> ElementType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return onnx::TensorProto::FLOAT;
    case DType::kFloat64:
      return onnx::TensorProto::DOUBLE;
    case DType::kInt32:
      return onnx::TensorProto::INT32;
    case DType::kInt64:
      return onnx::TensorProto::INT64;
    case DType::kBool:
      return onnx::TensorProto::BOOL;
    case DType::kInt8:
      return onnx::TensorProto::INT8;
    case DType::kUInt8:
      return onnx::TensorProto::UINT8;
    default:
      return Unimplemented("dtype `", NameOf(dtype), "` is not written as ONNX");
  }
}

class Writer {
 public:
  explicit Writer(const FlatGraph& graph) : graph_(graph), out_(*model_.mutable_graph()) {}

  StatusOr<onnx::ModelProto> Write() && {
    model_.set_ir_version(8);
    model_.add_opset_import()->set_version(kOpset);
    out_.set_name("network");
    for (int i = 0; i < graph_.num_inputs; ++i) {
      SIGNET_RETURN_IF_ERROR(Declare(i, *out_.add_input()));
    }
    for (size_t i = 0; i < graph_.edges.size(); ++i) {
      if (graph_.edges[i].constant.has_value()) {
        SIGNET_RETURN_IF_ERROR(AddInitializer(static_cast<int>(i)));
      }
    }
    for (const FlatNode& node : graph_.nodes) {
      SIGNET_RETURN_IF_ERROR(At(Cat("`", node.op->name, "`"), AddNode(node)));
    }
    for (int edge : graph_.results) {
      // A result that is an input or a constant, or that occurs twice, needs a name of its own.
      onnx::NodeProto& node = *out_.add_node();
      node.set_op_type("Identity");
      node.add_input(NameOf(edge));
      node.add_output(Cat("result", out_.output_size()));
      out_.add_output()->set_name(node.output(0));
    }
    return std::move(model_);
  }

 private:
  static std::string NameOf(int edge) { return edge == kNoEdge ? "" : Cat("x", edge); }
  const TypeSpec& TypeOf(int edge) const { return graph_.edges[static_cast<size_t>(edge)].spec; }

  Status Declare(int edge, onnx::ValueInfoProto& info) {
    info.set_name(NameOf(edge));
    auto& type = *info.mutable_type()->mutable_tensor_type();
    SIGNET_ASSIGN_OR_RETURN(int element, ElementType(TypeOf(edge).As<TensorSpec>()->dtype()));
    type.set_elem_type(element);
    for (int64_t dim : TypeOf(edge).shape()->dims()) {
      auto& size = *type.mutable_shape()->add_dim();
      if (dim != kUnknownDim) size.set_dim_value(dim);
    }
    return absl::OkStatus();
  }

  Status AddTensor(const std::string& name, const Tensor& tensor) {
    onnx::TensorProto& proto = *out_.add_initializer();
    proto.set_name(name);
    SIGNET_ASSIGN_OR_RETURN(int element, ElementType(tensor.dtype()));
    proto.set_data_type(element);
    for (int64_t dim : tensor.shape().dims()) proto.add_dims(dim);
    proto.set_raw_data(tensor.data().data(), tensor.data().size());
    return absl::OkStatus();
  }

  Status AddInitializer(int edge) {
    const bool is_read =
        std::any_of(graph_.nodes.begin(), graph_.nodes.end(), [&](const FlatNode& node) {
          return std::find(node.inputs.begin(), node.inputs.end(), edge) != node.inputs.end();
        });
    const auto& results = graph_.results;
    if (!is_read && std::find(results.begin(), results.end(), edge) == results.end()) {
      return absl::OkStatus();
    }
    return AddTensor(NameOf(edge), graph_.edges[static_cast<size_t>(edge)].constant);
  }

  std::string AddInts(const std::vector<int64_t>& values) {
    const std::string name = Cat("ints", out_.initializer_size());
    const auto size = static_cast<int64_t>(values.size());
    SIGNET_CHECK(AddTensor(name, Tensor::Of<int64_t>({size}, values)).ok());
    return name;
  }

  onnx::NodeProto& Add(std::string_view type, const std::vector<std::string>& inputs,
                       const std::string& output) {
    onnx::NodeProto& node = *out_.add_node();
    node.set_op_type(std::string(type));
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
    return node;
  }

  static void SetInt(onnx::NodeProto& node, const char* name, int64_t value) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INT);
    attribute.set_i(value);
  }

  static void SetInts(onnx::NodeProto& node, const char* name, const std::vector<int64_t>& values) {
    onnx::AttributeProto& attribute = *node.add_attribute();
    attribute.set_name(name);
    attribute.set_type(onnx::AttributeProto::INTS);
    for (int64_t value : values) attribute.add_ints(value);
  }

  // Copies a list that the op of Signet calls `from`, if it is given.
  static Status CopyInts(const FlatNode& node, const char* from, onnx::NodeProto& out,
                         const char* to) {
    SIGNET_ASSIGN_OR_RETURN(auto values, OptionalInts(node.attributes, from));
    if (values) SetInts(out, to, *values);
    return absl::OkStatus();
  }

  Status AddNode(const FlatNode& node) {
    const std::string& op = node.op->name;
    std::vector<std::string> inputs;
    for (int edge : node.inputs) inputs.push_back(NameOf(edge));
    const std::string output = NameOf(node.outputs[0]);
    if (!node.bodies.empty() || (node.outputs.size() != 1 && op != "max_pool")) {
      return Unimplemented("is not written as ONNX");
    }
    if (auto same = SameOps().find(op); same != SameOps().end()) {
      Add(same->second, inputs, output);
      return absl::OkStatus();
    }
    if (op == "square") {
      Add("Mul", {inputs[0], inputs[0]}, output);
    } else if (op == "rsqrt") {
      Add("Sqrt", inputs, output + "_root");
      Add("Reciprocal", {output + "_root"}, output);
    } else if (op == "expm1") {
      Add("Exp", inputs, output + "_exp");
      if (TypeOf(node.inputs[0]).As<TensorSpec>()->dtype() != DType::kFloat32) {
        return Unimplemented("is written as ONNX only for float32");
      }
      SIGNET_RETURN_IF_ERROR(AddTensor(output + "_one", Tensor::Scalar<float>(1)));
      Add("Sub", {output + "_exp", output + "_one"}, output);
    } else if (op == "cast") {
      SIGNET_ASSIGN_OR_RETURN(DType dtype, node.attributes.DTypeNamed("dtype"));
      SIGNET_ASSIGN_OR_RETURN(int element, ElementType(dtype));
      SetInt(Add("Cast", inputs, output), "to", element);
    } else if (op == "matmul") {
      return AddProduct(node, inputs, output);
    } else if (op == "transpose") {
      return CopyInts(node, "perm", Add("Transpose", inputs, output), "perm");
    } else if (op == "reshape" || op == "expand_dims" || op == "squeeze" || op == "flatten") {
      return AddReshape(node, inputs, output);
    } else if (op == "concat" || op == "softmax" || op == "log_softmax" || op == "gather") {
      const char* type = op == "concat"    ? "Concat"
                         : op == "softmax" ? "Softmax"
                         : op == "gather"  ? "Gather"
                                           : "LogSoftmax";
      SIGNET_ASSIGN_OR_RETURN(int64_t axis, node.attributes.Int("axis"));
      SetInt(Add(type, inputs, output), "axis", axis);
    } else if (op == "reduce_mean" || op == "reduce_sum" || op == "reduce_max") {
      const char* type = op == "reduce_mean"  ? "ReduceMean"
                         : op == "reduce_sum" ? "ReduceSum"
                                              : "ReduceMax";
      SIGNET_ASSIGN_OR_RETURN(auto axes, OptionalInts(node.attributes, "axes"));
      SIGNET_ASSIGN_OR_RETURN(bool keepdims, node.attributes.Bool("keepdims"));
      if (axes) inputs.push_back(AddInts(*axes));
      SetInt(Add(type, inputs, output), "keepdims", keepdims ? 1 : 0);
    } else if (op == "conv" || op == "max_pool" || op == "average_pool") {
      return AddWindow(node, inputs, output);
    } else {
      return Unimplemented("is not written as ONNX");
    }
    return absl::OkStatus();
  }

  Status AddProduct(const FlatNode& node, std::vector<std::string> inputs,
                    const std::string& output) {
    for (size_t side : {size_t{0}, size_t{1}}) {
      SIGNET_ASSIGN_OR_RETURN(bool transposes,
                              node.attributes.Bool(side == 0 ? "transpose_a" : "transpose_b"));
      if (!transposes) continue;
      const PartialShape& shape = *TypeOf(node.inputs[side]).shape();
      if (!shape.has_rank() || shape.rank() < 2) return Unimplemented("expected a known rank");
      std::vector<int64_t> perm;
      for (int64_t axis = 0; axis < shape.rank(); ++axis) perm.push_back(axis);
      std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
      const std::string name = Cat(output, "_", side);
      SetInts(Add("Transpose", {inputs[side]}, name), "perm", perm);
      inputs[side] = name;
    }
    Add("MatMul", inputs, output);
    return absl::OkStatus();
  }

  Status AddReshape(const FlatNode& node, const std::vector<std::string>& inputs,
                    const std::string& output) {
    const PartialShape& shape = *TypeOf(node.outputs[0]).shape();
    if (!shape.has_rank()) return Unimplemented("expected a known rank");
    const std::vector<int64_t> sizes(shape.dims().begin(), shape.dims().end());
    if (std::count(sizes.begin(), sizes.end(), kUnknownDim) > 1) {
      return Unimplemented("expected at most one unknown size");
    }
    Add("Reshape", {inputs[0], AddInts(sizes)}, output);
    return absl::OkStatus();
  }

  Status AddWindow(const FlatNode& node, const std::vector<std::string>& inputs,
                   const std::string& output) {
    const bool is_conv = node.op->name == "conv";
    onnx::NodeProto& out = Add(is_conv                       ? "Conv"
                               : node.op->name == "max_pool" ? "MaxPool"
                                                             : "AveragePool",
                               inputs, output);
    if (!is_conv) SIGNET_RETURN_IF_ERROR(CopyInts(node, "kernel", out, "kernel_shape"));
    SIGNET_RETURN_IF_ERROR(CopyInts(node, "strides", out, "strides"));
    SIGNET_RETURN_IF_ERROR(CopyInts(node, "dilations", out, "dilations"));
    SIGNET_ASSIGN_OR_RETURN(std::string pad, node.attributes.String("auto_pad"));
    if (pad == "notset") return CopyInts(node, "pads", out, "pads");
    std::transform(pad.begin(), pad.end(), pad.begin(), [](char c) { return std::toupper(c); });
    onnx::AttributeProto& attribute = *out.add_attribute();
    attribute.set_name("auto_pad");
    attribute.set_type(onnx::AttributeProto::STRING);
    attribute.set_s(pad);
    if (!is_conv) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(int64_t groups, node.attributes.Int("groups"));
    SetInt(out, "group", groups);
    return absl::OkStatus();
  }

  const FlatGraph& graph_;
  onnx::ModelProto model_;
  onnx::GraphProto& out_;
};

}  // namespace

StatusOr<onnx::ModelProto> WriteOnnx(const FlatGraph& graph) { return Writer(graph).Write(); }

}  // namespace signet
