// Imports the functions of the object graph, with the signatures that their authors wrote.

#include <algorithm>

#include "core/base/utf8.h"
#include "core/frontends/savedmodel/import/model_functions.h"
#include "core/frontends/savedmodel/import/structured_types.h"
#include "core/function/cast.h"
#include "core/ops/def/attribute_list.h"
#include "core/types/child_path.h"
#include "core/types/identifier.h"
#include "signet/any_spec.h"

namespace signet {
namespace {

using Structured = tensorflow::StructuredValue;

constexpr size_t kMaxFunctions = 256;
constexpr size_t kMaxTraces = 64;        // of a function
constexpr size_t kMaxParameters = 1024;  // of a function
constexpr size_t kMaxTypesInWords = 8;   // of a parameter

// A function of the object graph, at a path that leads to it.
struct FoundFunction {
  std::string path;
  int object = 0;
};

bool IsLeftOut(const std::string& name) {
  return name == "signatures" || name == "keras_api" || name.starts_with("call_and_return_") ||
         name.starts_with("trace_") || (name.starts_with('_') && name != "__call__");
}

// Returns true if the object is a function that was traced.
bool HasTraces(const tensorflow::SavedObjectGraph& graph, int object) {
  if (object < 0 || object >= graph.nodes_size()) return false;
  const auto& node = graph.nodes(object);
  return node.has_bare_concrete_function() || node.function().concrete_functions_size() > 0;
}

// Finds the functions of the root and of the objects below it. Objects of Keras have many functions
// that only their loader uses: `__call__` is the one for callers. The layers of a model are visited
// if `visits_layers` is set, down to the first ones that have it.
std::vector<FoundFunction> FindFunctions(const tensorflow::SavedObjectGraph& graph,
                                         bool visits_layers) {
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
    const bool has_call =
        std::any_of(object.children().begin(), object.children().end(), [&](const auto& child) {
          return child.local_name() == "__call__" && HasTraces(graph, child.node_id());
        });
    for (const auto& child : object.children()) {
      const std::string& name = child.local_name();
      if (child.node_id() < 0 || child.node_id() >= graph.nodes_size() || IsLeftOut(name) ||
          (is_keras && name != "__call__" && (!visits_layers || has_call)) || path.size() > 1000) {
        continue;
      }
      const std::string plain = name == "__call__" ? "call" : name;
      const std::string inner = path.empty() ? plain : Cat(path, "_", plain);
      const auto& found = graph.nodes(child.node_id());
      if (found.has_function() || found.has_bare_concrete_function()) {
        out.push_back({inner, child.node_id()});
      } else if (found.has_user_object() && seen.insert(child.node_id()).second) {
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
    UniqueNames keywords;
    for (const std::string& keyword : bare.argument_keywords()) keywords.Reserve(keyword);
    for (const std::string& keyword : bare.argument_keywords()) {
      parameters.insert(keywords.Make(keyword));
    }
    auto spec = SpecificationOf(object.has_function() ? object.function().function_spec()
                                                      : bare.function_spec());
    if (!spec.ok()) continue;
    parameters.insert(spec->positional.begin(), spec->positional.end());
    parameters.insert(spec->keyword_only.begin(), spec->keyword_only.end());
    for (const std::string& name : {spec->variadic, spec->keywords}) {
      if (!name.empty()) parameters.insert(name);
    }
  }
  for (const std::string& parameter : parameters) names.Make(parameter);
}

// A parameter of one trace, with its type.
struct TraceParameter {
  std::string name;
  ParameterKind kind = ParameterKind::kPositionalOrKeyword;
  Structured type = {};
};

// An argument of the function of the library: a parameter, or an item of one.
struct TraceArgument {
  size_t parameter = 0;
  TypeSpec key = {};  // of the item; null for the parameter itself
  Structured type = {};
};

// The parameters of one trace. All arguments of `*args` together are one parameter, a tuple, and
// all arguments of `**kwargs` are one parameter, a dict.
struct TraceSignature {
  std::vector<TraceParameter> parameters = {};
  std::vector<TraceArgument> arguments = {};  // in the order of their tensors
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
        // The arguments may be named after nodes, such as `scope/x`.
        UniqueNames parameters;
        for (const std::string& keyword : bare.argument_keywords()) parameters.Reserve(keyword);
        for (int i = 0; i < bare.argument_keywords_size(); ++i) {
          (i < bare.allowed_positional_arguments() ? specification_.positional
                                                   : specification_.keyword_only)
              .push_back(parameters.Make(bare.argument_keywords(i)));
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
  StatusOr<TraceSignature> SignatureOf(const std::string& name,
                                       const tensorflow::SavedConcreteFunction& trace) const {
    const Structured& both = trace.canonicalized_input_signature();
    if (both.kind_case() == Structured::KIND_NOT_SET || both.has_none_value()) {
      return SignatureOfTensors(name, trace.bound_inputs_size());
    }
    const auto* parts = ElementsOf(&both);
    if (parts == nullptr || parts->size() != 2) {
      return Unimplemented("unsupported signature of a trace");
    }
    const auto* given = ElementsOf(&parts->Get(0));
    const int num_given = given == nullptr ? 0 : given->size();
    std::map<std::string, const Structured*> keywords;
    for (const auto& [key, type] : parts->Get(1).dict_value().fields()) keywords[key] = &type;
    TraceSignature out;
    std::map<std::string, TraceArgument> by_keyword;  // their tensors are sorted by name
    auto add = [&](const std::string& parameter, ParameterKind kind, Structured type) {
      out.parameters.push_back({parameter, kind, std::move(type)});
      return out.parameters.size() - 1;
    };
    // Adds a parameter that the trace has as a keyword, or with its default value.
    auto add_named = [&](const std::string& parameter, ParameterKind kind) -> Status {
      if (auto found = keywords.find(parameter); found != keywords.end()) {
        by_keyword[parameter] = {add(parameter, kind, *found->second), {}, *found->second};
        keywords.erase(found);
        return absl::OkStatus();
      }
      auto value = specification_.defaults.find(parameter);
      if (value == specification_.defaults.end()) {
        return InvalidArgument("a trace without the parameter `", Printable(parameter), "`");
      }
      add(parameter, kind, *value->second);
      return absl::OkStatus();
    };
    const auto num_named = static_cast<int>(specification_.positional.size());
    for (int i = 0; i < num_named; ++i) {
      const std::string& parameter = specification_.positional[static_cast<size_t>(i)];
      if (i >= num_given) {
        SIGNET_RETURN_IF_ERROR(add_named(parameter, ParameterKind::kPositionalOrKeyword));
        continue;
      }
      const Structured& type = given->Get(i);
      out.arguments.push_back(
          {add(parameter, ParameterKind::kPositionalOrKeyword, type), {}, type});
    }
    if (!specification_.variadic.empty()) {
      Structured types;
      types.mutable_tuple_value();
      const size_t at = out.parameters.size();
      for (int i = num_named; i < num_given; ++i) {
        *types.mutable_tuple_value()->add_values() = given->Get(i);
        out.arguments.push_back({at, AttributeOf(i - num_named), given->Get(i)});
      }
      add(specification_.variadic, ParameterKind::kPositionalOrKeyword, std::move(types));
    } else if (num_given > num_named) {
      return InvalidArgument("more arguments than parameters");
    }
    for (const std::string& parameter : specification_.keyword_only) {
      SIGNET_RETURN_IF_ERROR(add_named(parameter, ParameterKind::kKeywordOnly));
    }
    if (!specification_.keywords.empty()) {
      Structured types;
      types.mutable_dict_value();
      const size_t at = out.parameters.size();
      for (const auto& [key, type] : keywords) {
        (*types.mutable_dict_value()->mutable_fields())[key] = *type;
        by_keyword[key] = {at, AttributeOf(key), *type};
      }
      add(specification_.keywords, ParameterKind::kKeywordOnly, std::move(types));
    } else if (!keywords.empty()) {
      return InvalidArgument("a trace with the unknown parameter `",
                             Printable(keywords.begin()->first), "`");
    }
    for (auto& [key, argument] : by_keyword) out.arguments.push_back(std::move(argument));
    return out;
  }

  // The parameters of a function that was made from a graph of version 1: they are tensors, whose
  // types the function of the library has.
  StatusOr<TraceSignature> SignatureOfTensors(const std::string& name, int num_bound) const {
    const tensorflow::FunctionDef* function = model_.library.Lookup(name);
    if (function == nullptr) return NotFound("function `", Printable(name), "` not found");
    const int count = function->signature().input_arg_size() - num_bound;
    const size_t num_positional = specification_.positional.size();
    if (count < 0 ||
        static_cast<size_t>(count) != num_positional + specification_.keyword_only.size()) {
      return InvalidArgument("expected one name per argument, found ", count, " arguments");
    }
    TraceSignature out;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      const bool is_positional = i < num_positional;
      Structured type;
      auto& spec = *type.mutable_tensor_spec_value();
      spec.set_dtype(function->signature().input_arg(static_cast<int>(i)).type());
      spec.mutable_shape()->set_unknown_rank(true);
      out.arguments.push_back({i, {}, type});
      out.parameters.push_back(
          {is_positional ? specification_.positional[i]
                         : specification_.keyword_only[i - num_positional],
           is_positional ? ParameterKind::kPositionalOrKeyword : ParameterKind::kKeywordOnly,
           std::move(type)});
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
    SIGNET_ASSIGN_OR_RETURN(TraceSignature signature, SignatureOf(name, trace));
    BoundList values;
    for (const TraceParameter& parameter : signature.parameters) {
      auto type = TypeFromStructured(parameter.type, model_.extension_classes);
      if (!type.ok()) {
        return At(Cat("parameter `", Printable(parameter.name), "`"), type.status());
      }
      if (!IsIdentifier(parameter.name)) {
        return InvalidArgument("expected the name of a parameter, found `",
                               Printable(parameter.name), "`");
      }
      values.push_back(
          importer.AddParameter(parameter.name, *std::move(type), parameter.kind, false));
    }
    BoundList arguments;
    for (const TraceArgument& argument : signature.arguments) {
      Bound value = values[argument.parameter];
      if (argument.key) {
        value = importer.AddNode("item", "get_item", {value}, {{"key", argument.key}});
      }
      SIGNET_RETURN_IF_ERROR(AppendComponents(importer, argument.type, value, arguments));
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
    Structured type = trace.output_signature();
    if (type.kind_case() == Structured::KIND_NOT_SET) {
      // A function that was made from a graph of version 1 may not state what its outputs are.
      for (size_t i = 0; i < outputs.size(); ++i) {
        type.mutable_tuple_value()->add_values()->mutable_tensor_spec_value();
      }
    }
    size_t next = 0;
    SIGNET_ASSIGN_OR_RETURN(Bound result, ValueOfComponents(importer, type, outputs, next));
    importer.function().result = importer.EdgeOf(result);
    return absl::OkStatus();
  }

  // The type of a parameter over all traces, or null.
  TypeSpec ConstraintOf(const std::string& name, const std::vector<FunctionType>& types) const {
    auto stated = specification_.constraints.find(name);
    if (stated != specification_.constraints.end()) {
      auto type = TypeFromStructured(*stated->second, model_.extension_classes);
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

  // Returns the documentation of a parameter: its types over all traces, if there are any.
  static std::string TypesInWords(const std::string& name, const std::vector<FunctionType>& types) {
    std::vector<std::string> texts;
    for (const FunctionType& type : types) {
      const Parameter* parameter = type.LookupParameter(name);
      if (parameter == nullptr) continue;
      std::string text = Cat("`", BriefOf(parameter->type), "`");
      if (std::find(texts.begin(), texts.end(), text) == texts.end()) {
        texts.push_back(std::move(text));
      }
    }
    if (texts.empty()) return {};
    const size_t more = texts.size() - std::min(texts.size(), kMaxTypesInWords);
    texts.resize(texts.size() - more);
    return AsUtf8(
        Cat("Types: ", Join(texts, ", "), more == 0 ? "" : Cat(", and ", more, " more"), "."));
  }

  StatusOr<FunctionDef> MakeDispatch(const std::vector<std::string>& names,
                                     const std::vector<FunctionType>& types) {
    FunctionImporter importer(model_, name_);
    GraphFunction& function = importer.function();
    function.def.doc = Cat("Function of the objects of ", model_.source, ".");
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
        auto known = ValueFromStructured(*given->second);
        if (!known.ok()) return At(Cat("parameter `", name, "`: default"), known.status());
        value = *std::move(known);
        // A default need not have the type of the traces. If no trace accepts it, the parameter
        // accepts anything, so that the function is not checked with the default.
        auto accepts = [&](const TypeSpec& wanted) { return CastTo(*value, wanted).ok(); };
        const bool is_accepted = std::any_of(types.begin(), types.end(), [&](const auto& trace) {
          const Parameter* parameter = trace.LookupParameter(name);
          return parameter != nullptr && accepts(parameter->type);
        });
        if (!is_accepted) {
          type = AnyType();
        } else if (type && !accepts(type)) {
          type = TypeSpec();
        }
      }
      if (!type || type.is(TypeKind::kAny)) {
        const std::string words = TypesInWords(name, types);
        if (!words.empty()) function.def.parameter_docs[name] = words;
      }
      inputs.push_back(importer.AddParameter(name, std::move(type), kind, value.has_value()));
      if (value) function.def.defaults.insert_or_assign(name, *std::move(value));
      if (kind == ParameterKind::kKeywordOnly) keywords.push_back(name);
      return absl::OkStatus();
    };
    // Adds `*args` or `**kwargs`, which a trace receives as one argument.
    auto add_rest = [&](const std::string& name, ParameterKind kind) {
      if (name.empty()) return;
      inputs.push_back(importer.AddParameter(name, TypeSpec(), kind, false));
      if (kind == ParameterKind::kVarKeyword) keywords.push_back(name);
    };
    for (const std::string& name : specification_.positional) {
      SIGNET_RETURN_IF_ERROR(add(name, ParameterKind::kPositionalOrKeyword));
    }
    add_rest(specification_.variadic, ParameterKind::kVarPositional);
    for (const std::string& name : specification_.keyword_only) {
      SIGNET_RETURN_IF_ERROR(add(name, ParameterKind::kKeywordOnly));
    }
    add_rest(specification_.keywords, ParameterKind::kVarKeyword);
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

std::vector<ObjectFunctionName> NameObjectFunctions(ModelImport& model, bool has_signatures) {
  const auto& graph = model.library.model().object_graph_def();
  std::vector<ObjectFunctionName> out;
  if (graph.nodes().empty()) return out;
  std::vector<FoundFunction> found = FindFunctions(graph, /*visits_layers=*/false);
  const bool has_any =
      has_signatures || std::any_of(found.begin(), found.end(), [&](const FoundFunction& function) {
        return HasTraces(graph, function.object);
      });
  if (!has_any) {
    // Such a model was saved without being called. Its layers may have functions, such as the query
    // model of a retrieval index.
    for (FoundFunction& function : FindFunctions(graph, /*visits_layers=*/true)) {
      if (HasTraces(graph, function.object)) found.push_back(std::move(function));
    }
  }
  for (const FoundFunction& function : found) {
    out.push_back({model.names.Make(function.path), function.object});
  }
  ReserveParameterNames(graph, found, model.names);
  return out;
}

Status AddObjectFunctions(ModelImport& model, const std::vector<ObjectFunctionName>& functions) {
  const auto& graph = model.library.model().object_graph_def();
  for (const auto& [name, object] : functions) {
    Status imported = ObjectFunction(model, name).Import(graph.nodes(object));
    if (absl::IsDataLoss(imported)) return imported;
    if (imported.ok()) continue;
    model.out.metadata[Cat("unavailable.", name)] = AsUtf8(std::string(MessageOf(imported)));
  }
  return absl::OkStatus();
}

}  // namespace signet
