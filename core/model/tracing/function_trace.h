// FunctionTrace: builds a function call by call, and infers the type of each result at once, so
// that an error is reported where the program makes the call.
//
//   auto trace = FunctionTrace::Start("scaled", "(x: float32[?, 3], /)", {}, library);
//   auto x = (*trace)->parameters()[0];
//   auto sums = (*trace)->Call("sums", "reduce_sum", {x}, {{"axes", AttributeOf(1)}}, {});
//   (*trace)->TypeOf((*sums)[0]);                       // float32[?]
//   auto function = std::move(**trace).Finish((*sums)[0], {});
//
// The type of a value is known if the types of the parameters that it depends on are. Otherwise
// nothing is inferred, and loading or a call finds the error. Not thread-safe.

#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/graph/body/graph_builder.h"
#include "core/graph/lower/flat_builder.h"
#include "core/model/tracing/trace_library.h"

namespace signet {

// The documentation of a function.
struct FunctionTexts {
  std::string doc = {};
  absl::flat_hash_map<std::string, std::string> parameter_docs = {};
  std::vector<std::string> examples = {};
  std::vector<std::string> batch = {};                    // the parameters that contain rows
  std::map<std::string, std::string> default_names = {};  // of TracedFunction
};

// A parameter of a nested function, whose type comes from the values around it.
struct NestedParameter {
  std::string name;
  TypeSpec type = {};  // null if it is not known
};

class FunctionTrace {
 public:
  using ValueId = size_t;  // of a value of this trace
  using ComputedAttributes = std::vector<std::pair<std::string, ValueId>>;

  // Starts a function with a signature in the notation. `defaults` are the values of the defaults
  // that the signature writes as `...`. The extension types that the signature names are in
  // `library`, which must outlive the trace. Returns the errors of signatures, with the place.
  static StatusOr<std::unique_ptr<FunctionTrace>> Start(std::string name,
                                                        std::string_view signature,
                                                        Defaults defaults, TraceLibrary& library);
  // Starts a function that only control ops call.
  static StatusOr<std::unique_ptr<FunctionTrace>> StartNested(
      std::string name, std::vector<NestedParameter> parameters, TraceLibrary& library);

  // The values of the parameters, in order.
  const std::vector<ValueId>& parameters() const { return parameters_; }
  // Adds a parameter to a nested function: a value of a function around it.
  StatusOr<ValueId> AddParameter(const NestedParameter& parameter);
  ValueId Constant(const Value& value);
  // Adds a capture. Its name is that of TraceLibrary::AddCapture.
  StatusOr<ValueId> Capture(std::string_view name, const Value& value);
  // Adds a node. `computed` are attributes with values that are known when the function is
  // specialized. Returns the outputs. Errors do not name the node.
  StatusOr<std::vector<ValueId>> Call(std::string_view name, std::string_view op,
                                      std::span<const ValueId> inputs, NamedTypes attributes,
                                      const ComputedAttributes& computed);

  // Returns the type of a value, as far as it is known before the function is specialized, or null.
  TypeSpec TypeOf(ValueId value) const;
  // Returns the type of the elements of a value along its first dimension; null if it is not known.
  TypeSpec ElementTypeOf(ValueId value);

  // Returns the function, which returns `result`.
  StatusOr<std::shared_ptr<const TracedFunction>> Finish(ValueId result, FunctionTexts texts) &&;
  // Returns the nested function, with its parameters in the order of their positions `order`: the
  // functions that one op calls receive the values around them in the same order.
  StatusOr<std::shared_ptr<const TracedFunction>> FinishNested(ValueId result,
                                                               std::span<const size_t> order) &&;

 private:
  struct TracedValue {
    GraphEdge edge;
    std::optional<GraphValue> known;
  };

  explicit FunctionTrace(TraceLibrary& library);

  ValueId Add(GraphEdge edge, std::optional<GraphValue> known);
  StatusOr<std::shared_ptr<const TracedFunction>> Make(Graph graph, FunctionTexts texts);
  // Adds the inputs of the graph for a parameter whose type says enough.
  std::optional<GraphValue> InputOf(const TypeSpec& type);
  // Returns the outputs of a call, or nothing if the type of an input is not known.
  StatusOr<std::optional<std::vector<GraphValue>>> Infer(const OpDef& op,
                                                         std::span<const ValueId> inputs,
                                                         const Attributes& attributes,
                                                         const ComputedAttributes& computed);

  TraceLibrary& library_;
  FunctionDef def_;
  std::vector<Parameter> nested_parameters_;
  GraphBuilder build_;
  FlatBuilder flat_;  // for inference; its graph is not used
  std::vector<TracedValue> values_;
  std::vector<ValueId> parameters_;
};

}  // namespace signet
