// Writes examples/models/weather/model.onnx, as a training framework would export it: how warm the
// air feels, by the formula of the Australian Bureau of Meteorology.
//
//   make_weather_model examples/models/weather/model.onnx

#include <fstream>
#include <initializer_list>
#include <iostream>
#include <string>

#include <onnx/onnx_pb.h>

namespace {

constexpr int kIrVersion = 8;
constexpr int kOpset = 17;

class GraphWriter {
 public:
  explicit GraphWriter(onnx::GraphProto& graph) : graph_(graph) {}

  void Scalar(const std::string& name, float value) {
    auto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    tensor.add_float_data(value);
  }

  void Node(const std::string& op, std::initializer_list<std::string> inputs,
            const std::string& output) {
    auto& node = *graph_.add_node();
    node.set_op_type(op);
    for (const std::string& input : inputs) node.add_input(input);
    node.add_output(output);
  }

  void Input(const std::string& name, const std::string& dimension, const std::string& doc) {
    Describe(*graph_.add_input(), name, onnx::TensorProto::FLOAT, dimension);
    graph_.mutable_input()->rbegin()->set_doc_string(doc);
  }

  void Output(const std::string& name, onnx::TensorProto::DataType type) {
    Describe(*graph_.add_output(), name, type, "stations");
  }

 private:
  static void Describe(onnx::ValueInfoProto& info, const std::string& name,
                       onnx::TensorProto::DataType type, const std::string& dimension) {
    info.set_name(name);
    auto& tensor = *info.mutable_type()->mutable_tensor_type();
    tensor.set_elem_type(type);
    auto& shape = *tensor.mutable_shape();
    if (!dimension.empty()) shape.add_dim()->set_dim_param(dimension);
  }

  onnx::GraphProto& graph_;
};

onnx::ModelProto MakeModel() {
  onnx::ModelProto model;
  model.set_ir_version(kIrVersion);
  model.set_producer_name("signet examples");
  model.set_doc_string("How warm the air feels");
  model.add_opset_import()->set_version(kOpset);
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.set_name("weather");
  graph.set_doc_string("Apparent temperature in the shade, and whether that is hot.");

  GraphWriter write(graph);
  write.Input("temperature", "stations", "degrees Celsius");
  write.Input("relative-humidity", "stations", "0 to 1");
  write.Input("wind", "", "metres per second");
  write.Scalar("wind", 0);  // an input with an initializer is an optional parameter
  for (auto [name, value] : {std::pair("17.27", 17.27F),
                             {"237.7", 237.7F},
                             {"6.105", 6.105F},
                             {"0.33", 0.33F},
                             {"0.70", 0.70F},
                             {"4.00", 4.00F},
                             {"hot", 35.0F}}) {
    write.Scalar(name, value);
  }
  // Vapour pressure: humidity * 6.105 * exp(17.27 t / (237.7 + t)).
  write.Node("Mul", {"17.27", "temperature"}, "t/scaled");
  write.Node("Add", {"237.7", "temperature"}, "t/shifted");
  write.Node("Div", {"t/scaled", "t/shifted"}, "t/exponent");
  write.Node("Exp", {"t/exponent"}, "t/exp");
  write.Node("Mul", {"t/exp", "6.105"}, "saturation");
  write.Node("Mul", {"relative-humidity", "saturation"}, "vapour");
  // temperature + 0.33 vapour - 0.70 wind - 4.00
  write.Node("Mul", {"vapour", "0.33"}, "humid");
  write.Node("Mul", {"wind", "0.70"}, "chill");
  write.Node("Add", {"temperature", "humid"}, "warm");
  write.Node("Sub", {"warm", "chill"}, "windy");
  write.Node("Sub", {"windy", "4.00"}, "feels_like");
  write.Node("Greater", {"feels_like", "hot"}, "is_hot");
  write.Output("feels_like", onnx::TensorProto::FLOAT);
  write.Output("is_hot", onnx::TensorProto::BOOL);
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: make_weather_model FILE\n";
    return 2;
  }
  std::ofstream file(argv[1], std::ios::binary);
  return MakeModel().SerializeToOstream(&file) && file.flush() ? 0 : 1;
}
