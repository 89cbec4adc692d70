// GraphImporter: imports the graphs of one ONNX model as functions with a GraphBuilder each.
//
// main_function.cc imports the function `main` with its parameters, graph_importer.cc imports nodes
// and their attributes, and control_flow.cc imports If, Loop, Scan, SequenceMap, and FlexAttention.
// Not thread-safe.

#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "core/frontends/onnx/import/onnx_file.h"
#include "core/graph/body/graph_builder.h"
#include "core/model/model_def.h"
#include "core/model/unique_names.h"

namespace signet {

inline constexpr int kMaxGraphDepth = 32;  // of graphs and functions within one another

// `` and `ai.onnx` are the same domain.
inline std::string DomainOf(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

std::string NameOf(const onnx::NodeProto& node);

// What a name in an ONNX graph refers to.
struct Reference {
  enum class Kind : uint8_t {
    kAbsent,   // an optional input or output that is left out; None in a call
    kCapture,  // a capture of the model, which all functions may use
    kValue,    // a value of the function of the scope
  };
  Kind kind = Kind::kAbsent;
  std::string capture = {};
  GraphEdge edge = {};  // of kValue
  // The TensorProto.DataType of the value if it is narrower than any dtype, or else 0 (dtypes.h).
  int narrow_type = 0;
};
using ReferenceList = std::vector<Reference>;

inline Reference CaptureReference(std::string name, int narrow_type = 0) {
  return {Reference::Kind::kCapture, std::move(name), {}, narrow_type};
}
inline Reference ValueReference(GraphEdge edge, int narrow_type = 0) {
  return {Reference::Kind::kValue, {}, edge, narrow_type};
}
// Returns output `i` of the node whose output 0 is `node`.
inline Reference OutputOf(const Reference& node, size_t i) {
  Reference output = ValueReference(node.edge);
  output.edge.output = static_cast<int>(i);
  return output;
}

// Values of an outer graph that a body uses. They become the last parameters of the function.
// Bodies of one node share them, so that all its functions have the same parameters.
struct CapturedOuterValues {
  std::map<std::tuple<GraphEdge::Kind, int, int>, size_t> indices;  // by the edge outside
  ReferenceList values;            // outside, in the order of the parameters
  std::vector<std::string> names;  // of the parameters
};

// A function of the model while its nodes are imported.
struct ImportedFunction {
  ImportedFunction(std::string name, const Captures& captures);

  FunctionDef def;  // without type and graph
  std::vector<Parameter> parameters;
  size_t num_captured = 0;  // of the parameters: captured outer values
  GraphBuilder graph;
  GraphEdge result;
};

// The names of a graph, or of a function of the ONNX model that replaces a call.
struct Scope {
  std::map<std::string, Reference> values = {};
  // Null: none. A function that replaces a call has none, because it does not see outer values.
  Scope* outer = nullptr;
  // Receives the values of `outer` that this scope uses. Null: `outer` is in the same function.
  CapturedOuterValues* captured = nullptr;
  ImportedFunction* function = nullptr;
  const std::map<std::string, int64_t>* opsets = nullptr;
  // The attributes of the call that the function replaces.
  std::map<std::string, const onnx::AttributeProto*> attributes = {};
  int depth = 0;
};

class GraphImporter {
 public:
  GraphImporter(const onnx::ModelProto& model, ExternalFiles& files, ModelDef& out);

  // Adds the functions and their captures.
  Status Import();

 private:
  Status ImportMain();
  // `nulls` are the values that replace missing elements of inputs (null_inputs.h).
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
  // Returns Reference::narrow_type of the first output of `node`.
  int NarrowTypeMade(const Scope& scope, const onnx::NodeProto& node,
                     std::span<const Reference> inputs);
  Status ImportOperator(Scope& scope, const onnx::NodeProto& node, const std::string& domain);

  // Opens a function that is called from `scope`. Its last parameters are the values that it
  // captures, which CloseBody adds.
  StatusOr<Scope> OpenBody(Scope& scope, std::string_view name, CapturedOuterValues& captured);
  static void CloseBody(ImportedFunction& function, const CapturedOuterValues& captured);
  // Adds a parameter to the function of `body`, before the captured values.
  Reference AddBodyParameter(Scope& body, std::string_view name);
  // Adds the nodes of `graph`, whose inputs are known in `body`, and returns its outputs.
  StatusOr<ReferenceList> ImportGraphIn(Scope& body, const onnx::GraphProto& graph);
  // Lets the function of `body` return a tuple.
  void SetResult(Scope& body, const ReferenceList& elements);
  // Imports the function of a subgraph. Its first parameters are the inputs, and its result is a
  // tuple of the outputs.
  StatusOr<ImportedFunction*> ImportBody(Scope& scope, const onnx::GraphProto& graph,
                                         std::string_view name, CapturedOuterValues& captured);
  // Adds a call of `loop`. `inputs` are the limit, the condition, carried values, and others.
  Reference AddLoop(Scope& scope, std::string_view name, ImportedFunction& body,
                    const CapturedOuterValues& captured, ReferenceList inputs, size_t carried);

  // The attributes of a Scan of any version.
  struct ScanForm {
    const onnx::GraphProto* body = nullptr;
    std::string name;  // of the node
    size_t states = 0;
    size_t inputs = 0;
    size_t outputs = 0;  // in addition to states
    std::vector<int64_t> input_axes = {};
    std::vector<int64_t> input_directions = {};
    std::vector<int64_t> output_axes = {};
    std::vector<int64_t> output_directions = {};
  };
  StatusOr<ScanForm> ScanFormOf(const Scope& scope, const onnx::NodeProto& node, bool is_batched);
  // Adds a scan over the first `length` elements of `inputs`, or over all if `length` is absent.
  // Returns the states, then the outputs.
  StatusOr<ReferenceList> AddScan(Scope& scope, const ScanForm& form,
                                  std::span<const Reference> states,
                                  std::span<const Reference> inputs, const Reference& length);
  StatusOr<ReferenceList> AddScanOfBatch(Scope& scope, const ScanForm& form,
                                         std::span<const Reference> inputs,
                                         const Reference& lengths);

  StatusOr<const onnx::AttributeProto*> GraphAttribute(const onnx::NodeProto& node,
                                                       const std::string& name);
  // Returns `attribute`, or the attribute of the replaced call to which it refers; null if there is
  // none.
  const onnx::AttributeProto* Resolve(const Scope& scope, const onnx::AttributeProto& attribute);
  StatusOr<std::vector<int64_t>> IntsAttribute(const Scope& scope, const onnx::NodeProto& node,
                                               std::string_view name);
  StatusOr<CapturedValue> CaptureFromAttribute(const onnx::AttributeProto& attribute);

  StatusOr<Reference> Find(Scope& scope, const std::string& name);
  StatusOr<ReferenceList> FindInputs(Scope& scope, const onnx::NodeProto& node);
  Reference AddCapture(std::string_view name, CapturedValue value, int narrow_type = 0);
  // Adds a call of an op to the function of `scope`, and returns output 0. The name is like `name`.
  Reference AddNode(Scope& scope, std::string_view name, std::string_view op,
                    std::span<const Reference> inputs, NamedTypes attributes = {});
  Reference AddNode(Scope& scope, std::string_view name, std::string_view op,
                    std::initializer_list<Reference> inputs, NamedTypes attributes = {}) {
    return AddNode(scope, name, op, std::span(inputs.begin(), inputs.size()),
                   std::move(attributes));
  }
  // Does the same for a name that UniqueNames made.
  static Reference AddNamedNode(Scope& scope, std::string_view name, std::string_view op,
                                std::span<const Reference> inputs, NamedTypes attributes);
  static GraphEdge EdgeOf(ImportedFunction& function, const Reference& reference);
  static void AddParameterNamed(ImportedFunction& function, const std::string& name);
  // Lets the outputs of `node` refer to the outputs of an op.
  static void SetOutputs(Scope& scope, const onnx::NodeProto& node, const Reference& made);
  Status CheckUnsupported() const;

  const onnx::ModelProto& model_;
  ExternalFiles& files_;
  ModelDef& out_;
  UniqueNames names_;
  std::vector<std::unique_ptr<ImportedFunction>> imported_;
  std::map<std::string, int64_t> opsets_;  // by domain
  // By domain, name, and overload.
  std::map<std::tuple<std::string, std::string, std::string>, const onnx::FunctionProto*>
      functions_;
  std::vector<std::unique_ptr<onnx::AttributeProto>> defaults_;  // of attributes of functions
  std::map<std::string, int> unsupported_;                       // operators, and how many nodes
  int64_t num_nodes_ = 0;
};

// Converts the value of an attribute. UNIMPLEMENTED for a type that no op has.
StatusOr<TypeSpec> AttributeFromOnnx(const onnx::AttributeProto& attribute);

}  // namespace signet
