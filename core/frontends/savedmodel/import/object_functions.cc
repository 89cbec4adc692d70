// Imports the functions of the object graph, with the signatures that their authors wrote.

#include <algorithm>

#include "core/base/utf8.h"
#include "core/frontends/savedmodel/import/model_functions.h"
#include "core/frontends/savedmodel/import/structured_types.h"
#include "core/ops/def/attribute_list.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

using Structured = tensorflow::StructuredValue;

constexpr size_t kMaxFunctions = 256;
constexpr size_t kMaxTraces = 64;        // of a function
constexpr size_t kMaxParameters = 1024;  // of a function
constexpr int kMaxVariadicNames = 16;    // of arguments of *args that are reserved

// A function of the object graph, at the first path that leads to it.
struct FoundFunction {
  std::string path;
  int object = 0;
};

bool IsLeftOut(const std::string& name) {
  return name == "signatures" || name == "keras_api" || name.starts_with("call_and_return_") ||
         name.starts_with("trace_") || (name.starts_with('_') && name != "__call__");
}

std::vector<FoundFunction> FindFunctions(const tensorflow::SavedObjectGraph& graph) {
  std::vector<FoundFunction> out;
  std::vector<std::pair<int, std::string>> open = {{0, ""}};
  std::set<int> seen = {0};
  for (size_t at = 0; at < open.size() && out.size() < kMaxFunctions; ++at) {
    const auto [index, path] = open[at];
    const auto& object = graph.nodes(index);
    const std::string identifier =
        object.has_user_object() ? object.user_object().identifier() : "";
    if (identifier.starts_with("trackable_")) continue;  // wrappers of lists and dicts
    const bool is_keras = identifier.starts_with("_tf_keras_");
    for (const auto& child : object.children()) {
      const std::string& name = child.local_name();
      if (child.node_id() < 0 || child.node_id() >= graph.nodes_size() || IsLeftOut(name) ||
          (is_keras && name != "__call__") || path.size() > 1000) {
        continue;
      }
      const std::string plain = name == "__call__" ? "call" : name;
      const std::string inner = path.empty() ? plain : Cat(path, "_", plain);
      const auto& found = graph.nodes(child.node_id());
      if (!seen.insert(child.node_id()).second) continue;
      if (found.has_function() || found.has_bare_concrete_function()) {
        out.push_back({inner, child.node_id()});
      } else if (found.has_user_object()) {
        open.emplace_back(child.node_id(), inner);
      }
    }
  }
  return out;
}

// The parameters of a function, without types.
struct Specification {
  std::vector<std::string> positional = {};
  std::string variadic = {};
  std::vector<std::string> keyword_only = {};
  std::string keywords = {};
  std::map<std::string, const Structured*> defaults = {};
  std::map<std::string, const Structured*> constraints = {};  // of an input signature
};

const Structured* FieldOf(const tensorflow::NamedTupleValue& tuple, std::string_view name) {
  for (const auto& pair : tuple.values()) {
    if (pair.key() == name) return &pair.value();
  }
  return nullptr;
}

const google::protobuf::RepeatedPtrField<Structured>* ElementsOf(const Structured* value) {
  if (value == nullptr) return nullptr;
  if (value->has_list_value()) return &value->list_value().values();
  if (value->has_tuple_value()) return &value->tuple_value().values();
  return nullptr;
}

StatusOr<Specification> SpecificationOf(const tensorflow::FunctionSpec& spec) {
  Specification out;
  const auto& argspec = spec.fullargspec().named_tuple_value();
  const auto* args = ElementsOf(FieldOf(argspec, "args"));
  if (args == nullptr) return InvalidArgument("expected a FullArgSpec");
  for (const Structured& arg : *args) out.positional.push_back(arg.string_value());
  const bool has_self =
      !out.positional.empty() && (spec.is_method() || out.positional[0] == "self");
  if (has_self) out.positional.erase(out.positional.begin());
  if (const auto* name = FieldOf(argspec, "varargs")) out.variadic = name->string_value();
  if (const auto* name = FieldOf(argspec, "varkw")) out.keywords = name->string_value();
  if (const auto* defaults = ElementsOf(FieldOf(argspec, "defaults"))) {
    const auto count = static_cast<size_t>(defaults->size());
    if (count > out.positional.size()) return InvalidArgument("more defaults than parameters");
    for (size_t i = 0; i < count; ++i) {
      out.defaults[out.positional[out.positional.size() - count + i]] =
          &defaults->Get(static_cast<int>(i));
    }
  }
  if (const auto* names = ElementsOf(FieldOf(argspec, "kwonlyargs"))) {
    for (const Structured& name : *names) out.keyword_only.push_back(name.string_value());
  }
  if (const auto* defaults = FieldOf(argspec, "kwonlydefaults")) {
    for (const auto& [name, value] : defaults->dict_value().fields()) out.defaults[name] = &value;
  }
  if (out.positional.size() + out.keyword_only.size() > kMaxParameters) {
    return ResourceExhausted("parameters exceed the limit of ", kMaxParameters);
  }
  if (const auto* types = ElementsOf(&spec.input_signature())) {
    for (int i = 0; i < types->size() && static_cast<size_t>(i) < out.positional.size(); ++i) {
      out.constraints[out.positional[static_cast<size_t>(i)]] = &types->Get(i);
    }
  }
  return out;
}

// Reserves the names of all parameters, so that no node of a function has one of them.
void ReserveParameterNames(const tensorflow::SavedObjectGraph& graph,
                           const std::vector<FoundFunction>& functions, UniqueNames& names) {
  std::set<std::string> parameters;
  for (const FoundFunction& function : functions) {
    const auto& object = graph.nodes(function.object);
    const auto& bare = object.bare_concrete_function();
    parameters.insert(bare.argument_keywords().begin(), bare.argument_keywords().end());
    auto spec = SpecificationOf(object.has_function() ? object.function().function_spec()
                                                      : bare.function_spec());
    if (!spec.ok()) continue;
    parameters.insert(spec->positional.begin(), spec->positional.end());
    parameters.insert(spec->keyword_only.begin(), spec->keyword_only.end());
    for (int i = 0; i < kMaxVariadicNames && !spec->variadic.empty(); ++i) {
      parameters.insert(Cat(spec->variadic, "_", i));
    }
  }
  for (const std::string& parameter : parameters) names.Make(parameter);
}

// A parameter of one trace, with its type.
struct TraceParameter {
  std::string name;
  ParameterKind kind = ParameterKind::kPositionalOrKeyword;
  const Structured* type = nullptr;
};

class ObjectFunction {
 public:
  ObjectFunction(ModelImport& model, std::string name) : model_(model), name_(std::move(name)) {}

  Status Import(const tensorflow::SavedObject& object) {
    std::vector<std::string> traces;
    if (object.has_function()) {
      const auto& function = object.function();
      traces.assign(function.concrete_functions().begin(), function.concrete_functions().end());
      if (traces.empty()) return Unimplemented("the function was never traced");
      SIGNET_ASSIGN_OR_RETURN(specification_, SpecificationOf(function.function_spec()));
    } else {
      const auto& bare = object.bare_concrete_function();
      traces.push_back(bare.concrete_function_name());
      if (bare.has_function_spec()) {
        SIGNET_ASSIGN_OR_RETURN(specification_, SpecificationOf(bare.function_spec()));
      } else {
        for (int i = 0; i < bare.argument_keywords_size(); ++i) {
          (i < bare.allowed_positional_arguments() ? specification_.positional
                                                   : specification_.keyword_only)
              .push_back(bare.argument_keywords(i));
        }
      }
    }
    std::vector<FunctionDef> added;
    std::vector<std::string> names;
    std::vector<std::string> reasons;
    std::vector<FunctionType> types;
    if (traces.size() > kMaxTraces) traces.resize(kMaxTraces);
    for (const std::string& trace : traces) {
      FunctionImporter importer(model_, model_.names.Make(Cat("_", name_, "_", names.size())));
      Status imported = ImportTrace(importer, trace);
      if (absl::IsDataLoss(imported)) return imported;
      auto functions = imported.ok() ? std::move(importer).Finish()
                                     : StatusOr<std::vector<FunctionDef>>(imported);
      if (!functions.ok()) {
        reasons.emplace_back(MessageOf(functions.status()));
        continue;
      }
      const FunctionType& type = functions->front().type;
      if (std::find(types.begin(), types.end(), type) != types.end()) continue;
      types.push_back(type);
      names.push_back(functions->front().name);
      for (FunctionDef& function : *functions) added.push_back(std::move(function));
    }
    if (names.empty()) {
      return Unimplemented(reasons.empty() ? "the function was never traced" : reasons[0]);
    }
    SIGNET_ASSIGN_OR_RETURN(FunctionDef dispatch, MakeDispatch(names, types));
    if (!reasons.empty()) {
      dispatch.doc +=
          Cat(" ", reasons.size(), " of its traces cannot be served: ", AsUtf8(reasons[0]), ".");
    }
    model_.out.functions.push_back(std::move(dispatch));
    for (FunctionDef& function : added) model_.out.functions.push_back(std::move(function));
    return absl::OkStatus();
  }

 private:
  StatusOr<std::vector<TraceParameter>> ParametersOf(
      const tensorflow::SavedConcreteFunction& trace) const {
    std::vector<TraceParameter> out;
    const auto* both = ElementsOf(&trace.canonicalized_input_signature());
    if (both == nullptr || both->size() != 2) {
      return Unimplemented("unsupported signature of a trace");
    }
    const auto* positional = ElementsOf(&both->Get(0));
    for (int i = 0; positional != nullptr && i < positional->size(); ++i) {
      const auto at = static_cast<size_t>(i);
      const bool is_named = at < specification_.positional.size();
      out.push_back(
          {is_named ? specification_.positional[at]
                    : Cat(specification_.variadic, "_", at - specification_.positional.size()),
           is_named ? ParameterKind::kPositionalOrKeyword : ParameterKind::kPositionalOnly,
           &positional->Get(i)});
      if (!is_named && specification_.variadic.empty()) {
        return InvalidArgument("more arguments than parameters");
      }
    }
    std::vector<std::pair<std::string, const Structured*>> keywords;
    for (const auto& [name, type] : both->Get(1).dict_value().fields()) {
      keywords.emplace_back(name, &type);
    }
    std::sort(keywords.begin(), keywords.end());
    for (const auto& [name, type] : keywords) {
      out.push_back({name, ParameterKind::kKeywordOnly, type});
    }
    // Arguments of *args are positional, so all parameters before them are, too.
    for (size_t i = out.size(); i-- > 0;) {
      if (out[i].kind != ParameterKind::kPositionalOnly) continue;
      for (size_t before = 0; before < i; ++before) {
        out[before].kind = ParameterKind::kPositionalOnly;
      }
      break;
    }
    return out;
  }

  Status ImportTrace(FunctionImporter& importer, const std::string& name) {
    const auto& graph = model_.library.model().object_graph_def();
    auto found = graph.concrete_functions().find(name);
    if (found == graph.concrete_functions().end()) {
      return InvalidArgument("concrete function `", Printable(name), "` not found");
    }
    const auto& trace = found->second;
    SIGNET_ASSIGN_OR_RETURN(auto parameters, ParametersOf(trace));
    BoundList arguments;
    for (const TraceParameter& parameter : parameters) {
      auto type = TypeFromStructured(*parameter.type);
      if (!type.ok()) {
        return At(Cat("parameter `", Printable(parameter.name), "`"), type.status());
      }
      if (!IsIdentifier(parameter.name)) {
        return InvalidArgument("expected the name of a parameter, found `",
                               Printable(parameter.name), "`");
      }
      const Bound value = importer.AddParameter(parameter.name, *type, parameter.kind, false);
      SIGNET_RETURN_IF_ERROR(AppendComponents(importer, *parameter.type, value, arguments));
    }
    for (int object : trace.bound_inputs()) {
      SIGNET_ASSIGN_OR_RETURN(arguments.emplace_back(), importer.BindObject(object));
    }
    SIGNET_ASSIGN_OR_RETURN(BoundList outputs,
                            importer.ImportFromFunction(name, std::move(arguments)));
    for (const Bound& output : outputs) {
      if (!output.is_tensor() && !importer.has_faults())
        importer.AddFault("an output has no value");
    }
    size_t next = 0;
    SIGNET_ASSIGN_OR_RETURN(Bound result,
                            ValueOfComponents(importer, trace.output_signature(), outputs, next));
    importer.function().result = importer.EdgeOf(result);
    return absl::OkStatus();
  }

  // The type of a parameter over all traces, or null.
  TypeSpec ConstraintOf(const std::string& name, const std::vector<FunctionType>& types) const {
    auto stated = specification_.constraints.find(name);
    if (stated != specification_.constraints.end()) {
      auto type = TypeFromStructured(*stated->second);
      return type.ok() ? *type : TypeSpec();
    }
    TypeSpec common;
    for (const FunctionType& type : types) {
      const Parameter* parameter = type.LookupParameter(name);
      if (parameter == nullptr) return {};
      common = common ? MostSpecificCommonSupertype(common, parameter->type) : parameter->type;
      if (!common) return {};
    }
    return common;
  }

  StatusOr<FunctionDef> MakeDispatch(const std::vector<std::string>& names,
                                     const std::vector<FunctionType>& types) {
    FunctionImporter importer(model_, name_);
    GraphFunction& function = importer.function();
    function.def.doc = "Function of the objects of the SavedModel.";
    BoundList inputs;
    std::vector<std::string> keywords;
    auto add = [&](const std::string& name, ParameterKind kind) -> Status {
      if (!IsIdentifier(name)) {
        return InvalidArgument("expected the name of a parameter, found `", Printable(name), "`");
      }
      TypeSpec type = ConstraintOf(name, types);
      std::optional<Value> value;
      auto given = specification_.defaults.find(name);
      if (given != specification_.defaults.end()) {
        SIGNET_ASSIGN_OR_RETURN(value, ValueFromStructured(*given->second));
        // A default need not have the type of the traces.
        if (type && !IsSubtype(value->spec(), type)) type = TypeSpec();
      }
      inputs.push_back(importer.AddParameter(name, std::move(type), kind, value.has_value()));
      if (value) function.def.defaults.insert_or_assign(name, *std::move(value));
      if (kind == ParameterKind::kKeywordOnly) keywords.push_back(name);
      return absl::OkStatus();
    };
    if (!specification_.variadic.empty() || !specification_.keywords.empty()) {
      // Traces state which arguments these parameters receive.
      for (const FunctionType& type : types) {
        if (type.parameters().size() >
            specification_.positional.size() + specification_.keyword_only.size()) {
          return Unimplemented("unsupported traces with arguments of `*",
                               Printable(specification_.variadic), "` or `**",
                               Printable(specification_.keywords), "`");
        }
      }
    }
    // Traces may leave out parameters with defaults.
    auto is_traced = [&](const std::string& name) {
      return std::any_of(types.begin(), types.end(), [&](const FunctionType& type) {
        return type.LookupParameter(name) != nullptr;
      });
    };
    for (const std::string& name : specification_.positional) {
      if (is_traced(name) || !specification_.defaults.contains(name)) {
        SIGNET_RETURN_IF_ERROR(add(name, ParameterKind::kPositionalOrKeyword));
      }
    }
    for (const std::string& name : specification_.keyword_only) {
      if (is_traced(name) || !specification_.defaults.contains(name)) {
        SIGNET_RETURN_IF_ERROR(add(name, ParameterKind::kKeywordOnly));
      }
    }
    NamedTypes attributes = {{"functions", AttributeListOf(names)}};
    if (!keywords.empty()) attributes.emplace_back("keywords", AttributeListOf(keywords));
    function.result = importer.AddNode("result", "call", inputs, std::move(attributes)).edge;
    SIGNET_ASSIGN_OR_RETURN(auto functions, std::move(importer).Finish());
    return std::move(functions[0]);
  }

  ModelImport& model_;
  const std::string name_;
  Specification specification_;
};

}  // namespace

StatusOr<Bound> FunctionImporter::BindObject(int index) {
  const auto& objects = model_.library.model().object_graph_def().nodes();
  if (index < 0 || index >= objects.size()) return InvalidArgument("object ", index, " not found");
  const auto& object = objects[index];
  if (object.has_variable()) {
    return Bound{.kind = Bound::Kind::kVariable,
                 .index = model_.initialization.VariableOfObject(index)};
  }
  if (object.has_asset()) {
    return Bound{.kind = Bound::Kind::kAsset,
                 .text = model_.initialization.AssetOfIndex(object.asset().asset_file_def_index())};
  }
  if (object.has_resource()) {
    const int table = model_.initialization.TableOfObject(index);
    if (table < 0) return Bound();
    return Bound{.kind = Bound::Kind::kTable, .index = table};
  }
  if (object.has_constant()) {
    const NodeGraph& graph = model_.library.graph();
    const int node = graph.Lookup(object.constant().operation());
    if (node < 0) {
      return InvalidArgument("node `", Printable(object.constant().operation()), "` not found");
    }
    Scope scope{.graph = &graph, .function = &function()};
    SIGNET_RETURN_IF_ERROR(At(graph.PlaceOf(node), ImportConstant(scope, node)));
    return scope.values[{node, 0}];
  }
  return Bound();
}

Status AddObjectFunctions(ModelImport& model) {
  const auto& graph = model.library.model().object_graph_def();
  if (graph.nodes().empty()) return absl::OkStatus();
  const std::vector<FoundFunction> found = FindFunctions(graph);
  std::vector<std::string> names;
  names.reserve(found.size());
  for (const FoundFunction& function : found) names.push_back(model.names.Make(function.path));
  ReserveParameterNames(graph, found, model.names);
  for (size_t i = 0; i < found.size(); ++i) {
    Status imported = ObjectFunction(model, names[i]).Import(graph.nodes(found[i].object));
    if (absl::IsDataLoss(imported)) return imported;
    if (imported.ok()) continue;
    model.out.metadata[Cat("unavailable.", names[i])] = AsUtf8(std::string(MessageOf(imported)));
  }
  return absl::OkStatus();
}

}  // namespace signet
