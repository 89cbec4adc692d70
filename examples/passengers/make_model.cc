// Writes examples/passengers/model.onnx, as skl2onnx exports a pipeline of scikit-learn: missing
// numbers are filled in, numbers are scaled, texts are encoded, and a logistic regression returns
// whether a passenger of the Titanic survives.
//
//   make_passengers_model examples/passengers/model.onnx

#include <fstream>
#include <initializer_list>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace {

constexpr int kIrVersion = 8;
constexpr int kOpset = 17;
constexpr int kMlOpset = 3;

// Adds nodes to a graph. A method for an attribute sets it on the node that was added last.
class GraphWriter {
 public:
  explicit GraphWriter(onnx::GraphProto& graph) : graph_(graph) {}

  // Adds an input with one column.
  void Column(const std::string& name, onnx::TensorProto::DataType type) {
    Describe(*graph_.add_input(), name, type).add_dim()->set_dim_value(1);
  }

  GraphWriter& Node(const std::string& op, std::initializer_list<std::string> inputs,
                    std::initializer_list<std::string> outputs, const std::string& domain = "") {
    node_ = graph_.add_node();
    node_->set_op_type(op);
    node_->set_domain(domain);
    for (const std::string& input : inputs) node_->add_input(input);
    for (const std::string& output : outputs) node_->add_output(output);
    return *this;
  }
  GraphWriter& Int(const std::string& name, int64_t value) {
    onnx::AttributeProto& attribute = Attribute(name, onnx::AttributeProto::INT);
    attribute.set_i(value);
    return *this;
  }
  GraphWriter& Float(const std::string& name, float value) {
    Attribute(name, onnx::AttributeProto::FLOAT).set_f(value);
    return *this;
  }
  GraphWriter& Text(const std::string& name, const std::string& value) {
    Attribute(name, onnx::AttributeProto::STRING).set_s(value);
    return *this;
  }
  GraphWriter& Ints(const std::string& name, std::initializer_list<int64_t> values) {
    onnx::AttributeProto& attribute = Attribute(name, onnx::AttributeProto::INTS);
    for (int64_t value : values) attribute.add_ints(value);
    return *this;
  }
  GraphWriter& Floats(const std::string& name, std::initializer_list<float> values) {
    onnx::AttributeProto& attribute = Attribute(name, onnx::AttributeProto::FLOATS);
    for (float value : values) attribute.add_floats(value);
    return *this;
  }
  GraphWriter& Texts(const std::string& name, std::initializer_list<std::string> values) {
    onnx::AttributeProto& attribute = Attribute(name, onnx::AttributeProto::STRINGS);
    for (const std::string& value : values) attribute.add_strings(value);
    return *this;
  }

  void Shape(const std::string& name, std::initializer_list<int64_t> sizes) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<int64_t>(sizes.size()));
    for (int64_t size : sizes) tensor.add_int64_data(size);
  }

  void Label(const std::string& name) {
    Describe(*graph_.add_output(), name, onnx::TensorProto::INT64);
  }
  void Probabilities(const std::string& name) {
    onnx::ValueInfoProto& info = *graph_.add_output();
    info.set_name(name);
    auto& map =
        *info.mutable_type()->mutable_sequence_type()->mutable_elem_type()->mutable_map_type();
    map.set_key_type(onnx::TensorProto::INT64);
    map.mutable_value_type()->mutable_tensor_type()->set_elem_type(onnx::TensorProto::FLOAT);
  }

 private:
  static onnx::TensorShapeProto& Describe(onnx::ValueInfoProto& info, const std::string& name,
                                          onnx::TensorProto::DataType type) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    tensor.mutable_shape()->add_dim();
    return *tensor.mutable_shape();
  }

  onnx::AttributeProto& Attribute(const std::string& name,
                                  onnx::AttributeProto::AttributeType type) {
    onnx::AttributeProto& attribute = *node_->add_attribute();
    attribute.set_name(name);
    attribute.set_type(type);
    return attribute;
  }

  onnx::GraphProto& graph_;
  onnx::NodeProto* node_ = nullptr;
};

onnx::ModelProto MakeModel() {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("signet examples");
  model.set_doc_string("Whether a passenger of the Titanic survives");
  model.add_opset_import()->set_version(kOpset);
  onnx::OperatorSetIdProto& ml = *model.add_opset_import();
  ml.set_domain("ai.onnx.ml");
  ml.set_version(kMlOpset);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("passengers");

  GraphWriter write(graph);
  const std::string ml_domain = "ai.onnx.ml";
  const float nan = std::numeric_limits<float>::quiet_NaN();
  write.Column("age", onnx::TensorProto::FLOAT);
  write.Column("fare", onnx::TensorProto::FLOAT);
  write.Column("sex", onnx::TensorProto::STRING);
  write.Column("embarked", onnx::TensorProto::STRING);
  write.Shape("sex_shape", {-1, 2});
  write.Shape("embarked_shape", {-1, 3});

  write.Node("Concat", {"age", "fare"}, {"merged_columns"}).Int("axis", 1);
  write.Node("Imputer", {"merged_columns"}, {"imputed"}, ml_domain)
      .Floats("imputed_value_floats", {28, 14.5F})
      .Float("replaced_value_float", nan);
  write.Node("Scaler", {"imputed"}, {"scaled"}, ml_domain)
      .Floats("offset", {29.5F, 32})
      .Floats("scale", {0.0769F, 0.0201F});
  write.Node("OneHotEncoder", {"sex"}, {"sex_codes"}, ml_domain)
      .Texts("cats_strings", {"female", "male"})
      .Int("zeros", 1);
  write.Node("Reshape", {"sex_codes", "sex_shape"}, {"sex_columns"});
  write.Node("OneHotEncoder", {"embarked"}, {"embarked_codes"}, ml_domain)
      .Texts("cats_strings", {"C", "Q", "S"})
      .Int("zeros", 1);
  write.Node("Reshape", {"embarked_codes", "embarked_shape"}, {"embarked_columns"});
  write.Node("Concat", {"scaled", "sex_columns", "embarked_columns"}, {"features"}).Int("axis", 1);
  write.Node("LinearClassifier", {"features"}, {"label", "scores"}, ml_domain)
      .Ints("classlabels_ints", {0, 1})
      .Floats("coefficients", {0.35F, -0.3F, -1.25F, 1.3F, -0.2F, 0.1F, 0.15F,  //
                               -0.35F, 0.3F, 1.25F, -1.3F, 0.2F, -0.1F, -0.15F})
      .Floats("intercepts", {0.1F, -0.1F})
      .Int("multi_class", 1)
      .Text("post_transform", "LOGISTIC");
  write.Node("Normalizer", {"scores"}, {"probabilities"}, ml_domain).Text("norm", "L1");
  write.Node("Cast", {"label"}, {"output_label"}).Int("to", onnx::TensorProto::INT64);
  write.Node("ZipMap", {"probabilities"}, {"output_probability"}, ml_domain)
      .Ints("classlabels_int64s", {0, 1});
  write.Label("output_label");
  write.Probabilities("output_probability");
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_passengers_model FILE\n";
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  return MakeModel().SerializeToOstream(&file) && file.flush() ? 0 : 1;
}
