// GraphImport: the state of importing the graphs of one ONNX model, and its steps:
// main_function.cc has the function `main` with its parameters, graph_importer.cc nodes and their
// attributes, control_flow.cc If, Loop, Scan, SequenceMap and FlexAttention. One thread.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/formats/signet_wire/wire.h"
#include "core/frontends/onnx/import/names.h"
#include "core/frontends/onnx/import/onnx_file.h"
#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

// How a reference to nothing is written.
inline constexpr char kAbsent[] = "None";
inline constexpr int kMaxGraphDepth = 32;  // of graphs and functions within one another

// `` and `ai.onnx` are one domain.
inline std::string DomainOf(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string NameOf(const onnx::NodeProto& node);

// What a name of a graph refers to.
struct Reference {
  std::string text = kAbsent;
  bool is_outer = true;  // good in every function: a capture, or nothing
  // Of what is known to be of a type narrower than any dtype: TensorProto.DataType, see dtypes.h.
  int narrow_type = 0;
};

// Values from outside that a body reads, which become its last parameters.
struct Taken {
  std::map<std::string, std::string> parameters;  // by the reference outside
  std::vector<std::string> references;            // outside, in the order of the parameters
};

// The names of a graph, or of a function of the model that is put in place.
struct Scope {
  std::map<std::string, Reference> values = {};
  // Null: none. For a function in place: none, as it sees nothing outside.
  Scope* outer = nullptr;
  Taken* taken = nullptr;  // where values of `outer` go; null: same function
  v1::Function* function = nullptr;
  const std::map<std::string, int64_t>* opsets = nullptr;
  std::map<std::string, const onnx::AttributeProto*> attributes = {};  // of a call in place
  int depth = 0;
};

class GraphImporter {
 public:
  GraphImporter(const onnx::ModelProto& model, ExternalFiles& files, v1::Model& out,
                Captures& captures);

  Status Import() {
    SIGNET_RETURN_IF_ERROR(ImportMain());
    return CheckUnsupported();
  }

 private:
  Status ImportMain();
  // `nulls`: what stands for missing elements of inputs (null_inputs.h).
  Status AddParameter(Scope& scope, const onnx::ValueInfoProto& input, bool has_default,
                      const std::map<std::string, Literal>& nulls);
  Status AddInitializers(Scope& scope, const onnx::GraphProto& graph,
                         const std::set<std::string>& parameters);

  Status ImportNodes(Scope& scope,
                     const google::protobuf::RepeatedPtrField<onnx::NodeProto>& nodes);
  Status ImportNode(Scope& scope, const onnx::NodeProto& node);
  Status ImportConstant(Scope& scope, const onnx::NodeProto& node);
  Status ImportIf(Scope& scope, const onnx::NodeProto& node);
  Status ImportLoop(Scope& scope, const onnx::NodeProto& node);
  Status ImportScan(Scope& scope, const onnx::NodeProto& node);
  Status ImportSequenceMap(Scope& scope, const onnx::NodeProto& node);
  Status ImportFlexAttention(Scope& scope, const onnx::NodeProto& node);
  Status ImportCall(Scope& scope, const onnx::NodeProto& node, const onnx::FunctionProto& function);
  // Reference::narrow_type of the first output of `node`.
  int NarrowTypeMade(const Scope& scope, const onnx::NodeProto& node,
                     std::span<const Reference> inputs);
  Status ImportOperator(Scope& scope, const onnx::NodeProto& node, const std::string& domain);

  // A function called from `scope`, whose last parameters are what it takes from outside: see
  // CloseBody.
  StatusOr<Scope> OpenBody(Scope& scope, std::string_view name, Taken& taken);
  void CloseBody(v1::Function& function, const Taken& taken);
  // A parameter of the function of `body`.
  std::string AddBodyParameter(Scope& body, std::string_view name);
  // Adds the nodes of `graph`, whose inputs are known in `body`; gives references to its outputs.
  StatusOr<std::vector<std::string>> ImportGraphIn(Scope& body, const onnx::GraphProto& graph);
  void SetResult(Scope& body, const std::vector<std::string>& references);
  // The function of a subgraph: its inputs are the first parameters; gives a tuple of its outputs.
  StatusOr<v1::Function*> ImportBody(Scope& scope, const onnx::GraphProto& graph,
                                     std::string_view name, Taken& taken);
  // A call of `loop`. `inputs` are the limit, the condition, carried values, others.
  v1::Node& AddLoop(Scope& scope, std::string_view name, v1::Function& body, const Taken& taken,
                    const std::vector<std::string>& inputs, size_t carried);

  // What a Scan of any version says.
  struct ScanForm {
    const onnx::GraphProto* body = nullptr;
    std::string name;  // of the node
    size_t states = 0;
    size_t inputs = 0;
    size_t outputs = 0;  // besides states
    std::vector<int64_t> input_axes = {};
    std::vector<int64_t> input_directions = {};
    std::vector<int64_t> output_axes = {};
    std::vector<int64_t> output_directions = {};
  };
  StatusOr<ScanForm> ScanFormOf(const Scope& scope, const onnx::NodeProto& node, bool is_batched);
  // A scan over `inputs`, as far as `length` says: `int64[]`; empty: all of it. Gives references to
  // the states, then to the outputs.
  StatusOr<std::vector<std::string>> AddScan(Scope& scope, const ScanForm& form,
                                             std::span<const std::string> states,
                                             std::span<const std::string> inputs,
                                             const std::string& length);
  StatusOr<std::vector<std::string>> AddScanOfBatch(Scope& scope, const ScanForm& form,
                                                    std::span<const std::string> inputs,
                                                    const std::string& lengths);

  StatusOr<const onnx::AttributeProto*> GraphAttribute(const onnx::NodeProto& node,
                                                       const std::string& name);
  // `attribute`, or what the call of the function in place gives for it; null: nothing.
  const onnx::AttributeProto* Resolve(const Scope& scope, const onnx::AttributeProto& attribute);
  StatusOr<std::vector<int64_t>> IntsAttribute(const Scope& scope, const onnx::NodeProto& node,
                                               std::string_view name);
  Status AddAttribute(const onnx::AttributeProto& attribute, v1::Node& out);
  StatusOr<CapturedValue> CaptureFromAttribute(const onnx::AttributeProto& attribute);

  StatusOr<Reference> Find(Scope& scope, const std::string& name);
  std::string AddCapture(std::string_view name, CapturedValue value);
  v1::Node& AddNode(Scope& scope, std::string_view name, std::string_view op,
                    std::initializer_list<std::string> inputs = {});
  void AddParameterNamed(v1::Function& function, const std::string& name);
  // Output `i` of the node is `text`.
  void SetOutputs(Scope& scope, const onnx::NodeProto& node, const std::string& name,
                  std::string_view separator);
  Status CheckUnsupported() const;

  const onnx::ModelProto& model_;
  ExternalFiles& files_;
  v1::Model& out_;
  Captures& captures_;
  Names names_;
  std::map<std::string, int64_t> opsets_;  // by domain
  // By domain, name and overload.
  std::map<std::tuple<std::string, std::string, std::string>, const onnx::FunctionProto*>
      functions_;
  std::vector<std::unique_ptr<onnx::AttributeProto>> defaults_;  // of attributes of functions
  std::map<std::string, int> unsupported_;                       // and how many nodes
  int64_t num_nodes_ = 0;
};

}  // namespace signet
