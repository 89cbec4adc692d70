#include "core/frontends/savedmodel/import/initialization.h"

#include <algorithm>
#include <charconv>

#include "core/formats/tensorflow/graph_tensor.h"
#include "core/formats/tensorflow/tensorflow_dtype.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxFollowedDepth = 1000;  // of nodes that are followed
constexpr size_t kMaxPlaces = 10'000;    // calls that are followed

// Parses `d0 d1 spec`, with `-` or `start,length` per dimension, joined by colons.
std::optional<TensorBundle::Ranges> ParseSlice(std::string_view text) {
  TensorBundle::Ranges ranges;
  const size_t space = text.rfind(' ');
  std::string_view spec = space == std::string_view::npos ? text : text.substr(space + 1);
  while (!spec.empty()) {
    const size_t end = std::min(spec.find(':'), spec.size());
    const std::string_view part = spec.substr(0, end);
    spec.remove_prefix(std::min(end + 1, spec.size()));
    TensorBundle::Range range;
    if (part != "-") {
      const size_t comma = part.find(',');
      if (comma == std::string_view::npos) return std::nullopt;
      auto parse = [](std::string_view number, int64_t& value) {
        const char* last = number.data() + number.size();
        auto [stop, error] = std::from_chars(number.data(), last, value);
        return error == std::errc() && stop == last;
      };
      if (!parse(part.substr(0, comma), range.start) ||
          !parse(part.substr(comma + 1), range.size)) {
        return std::nullopt;
      }
    }
    ranges.push_back(range);
  }
  return ranges;
}

const google::protobuf::RepeatedPtrField<std::string>* NodesOf(
    const tensorflow::MetaGraphDef& model, const std::string& collection) {
  auto found = model.collection_def().find(collection);
  return found == model.collection_def().end() ? nullptr : &found->second.node_list().value();
}

}  // namespace

bool Initialization::MakesVariable(std::string_view op) {
  return IsOneOf(op,
                 {"VariableV2", "Variable", "VarHandleOp", "BoostedTreesEnsembleResourceHandleOp",
                  "BoostedTreesQuantileStreamResourceHandleOp"});
}
bool Initialization::MakesTable(std::string_view op) {
  return IsOneOf(op, {"HashTable", "HashTableV2", "MutableHashTable", "MutableHashTableV2",
                      "MutableDenseHashTable", "MutableDenseHashTableV2", "AnonymousHashTable",
                      "AnonymousMutableHashTable", "AnonymousMutableDenseHashTable"});
}

Initialization::Initialization(GraphLibrary& library, TensorBundle& bundle, fs::path folder)
    : library_(library), bundle_(bundle), folder_(std::move(folder)) {
  ReadAssets();
  WalkObjects();
}

Initialization::~Initialization() = default;

void Initialization::ReadAssets() {
  const tensorflow::MetaGraphDef& model = library_.model();
  auto add = [this](const tensorflow::AssetFileDef& asset) {
    std::string tensor = asset.tensor_info().name();
    if (size_t colon = tensor.find(':'); colon != std::string::npos) tensor.resize(colon);
    asset_files_.push_back(asset.filename());
    if (!tensor.empty()) assets_[tensor] = asset.filename();
  };
  for (const auto& asset : model.asset_file_def()) add(asset);
  if (!asset_files_.empty()) return;
  auto found = model.collection_def().find("saved_model_assets");
  if (found == model.collection_def().end()) return;
  for (const auto& any : found->second.any_list().value()) {
    tensorflow::AssetFileDef asset;
    if (any.UnpackTo(&asset)) add(asset);
  }
}

std::string Initialization::AssetOf(const std::string& node) const {
  auto found = assets_.find(node);
  return found == assets_.end() ? std::string() : found->second;
}

std::string Initialization::AssetOfIndex(int index) const {
  if (index < 0 || static_cast<size_t>(index) >= asset_files_.size()) return "";
  return asset_files_[static_cast<size_t>(index)];
}

// Finds the checkpoint keys of variables: the objects of the model and of the checkpoint are walked
// together along names.
void Initialization::WalkObjects() {
  const auto& objects = library_.model().object_graph_def().nodes();
  if (objects.empty()) return;
  auto stored = bundle_.Read("_CHECKPOINTABLE_OBJECT_GRAPH");
  if (!stored.ok()) return;
  auto value = stored->Get();
  if (!value.ok() || !value->tensor().is_string() || value->tensor().num_elements() != 1) return;
  tensorflow::TrackableObjectGraph trackable;
  const std::string_view bytes = value->tensor().string_at(0);
  if (!trackable.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) ||
      trackable.nodes_size() == 0) {
    return;
  }
  std::set<int> seen = {0};
  std::vector<std::pair<int, int>> open = {{0, 0}};
  while (!open.empty()) {
    const auto [object, tracked] = open.back();
    open.pop_back();
    const auto& node = trackable.nodes(tracked);
    for (const auto& attribute : node.attributes()) {
      if (attribute.name() == "VARIABLE_VALUE") {
        checkpoint_keys_[object] = attribute.checkpoint_key();
      }
    }
    std::map<std::string, int> children;
    for (const auto& child : node.children()) children[child.local_name()] = child.node_id();
    for (const auto& child : objects[object].children()) {
      auto other = children.find(child.local_name());
      if (other == children.end()) continue;
      if (child.node_id() < 0 || child.node_id() >= objects.size()) continue;
      if (other->second < 0 || other->second >= trackable.nodes_size()) continue;
      if (seen.insert(child.node_id()).second) open.emplace_back(child.node_id(), other->second);
    }
  }
}

// --- variables and tables -----------------------------------------------------------------------

namespace {

// Nodes with the same name here are one variable or one table.
std::string SharedNameOf(const tensorflow::NodeDef& node) {
  const std::string name = TextAttribute(node, "shared_name");
  return Cat(TextAttribute(node, "container"), "/", name.empty() ? node.name() : name);
}

}  // namespace

int Initialization::VariableOf(const NodeGraph& graph, int index) {
  const tensorflow::NodeDef& node = graph.node(index);
  // Names of nodes are unique in the graph, but not in all functions.
  const std::string key = graph.function() == nullptr ? node.name() : Cat("\n", SharedNameOf(node));
  auto [found, is_new] = variable_names_.emplace(key, static_cast<int>(variables_.size()));
  if (!is_new) return found->second;
  ModelVariable variable{.name = node.name()};
  if (const auto* dtype = LookupAttribute(node, "dtype")) variable.data_type = dtype->type();
  // The value of an ensemble of trees is a message.
  if (node.op().starts_with("BoostedTrees")) variable.data_type = tensorflow::DT_STRING;
  if (const auto* shape = LookupAttribute(node, "shape")) variable.shape = &shape->shape();
  // A function may have a node for a variable of the graph.
  auto value = shared_values_.find(SharedNameOf(node));
  if (value != shared_values_.end()) variable.value = value->second;
  variables_.push_back(std::move(variable));
  return found->second;
}

int Initialization::VariableOfObject(int object) {
  if (auto found = variable_objects_.find(object); found != variable_objects_.end()) {
    return found->second;
  }
  const auto& objects = library_.model().object_graph_def().nodes();
  if (object < 0 || object >= objects.size() || !objects[object].has_variable()) return -1;
  const auto& saved = objects[object].variable();
  ModelVariable variable{.name = saved.name(), .data_type = saved.dtype(), .shape = &saved.shape()};
  if (auto key = checkpoint_keys_.find(object); key != checkpoint_keys_.end()) {
    variable.value.key = key->second;
  }
  variables_.push_back(std::move(variable));
  return variable_objects_[object] = static_cast<int>(variables_.size()) - 1;
}

int Initialization::TableOf(const NodeGraph& graph, int index) {
  const tensorflow::NodeDef& node = graph.node(index);
  std::string name = SharedNameOf(node);
  if (node.op().starts_with("Anonymous")) {
    // Each node is a table of its own.
    name = Cat("\n", graph.function() == nullptr ? "" : graph.function()->signature().name(), "\n",
               node.name());
  }
  auto [found, is_new] = table_names_.emplace(name, static_cast<int>(tables_.size()));
  if (!is_new) return found->second;
  ModelTable table{.name = node.name(),
                   .starts_empty = node.op().find("Mutable") != node.op().npos};
  if (const auto* dtype = LookupAttribute(node, "key_dtype")) table.key_type = dtype->type();
  if (const auto* dtype = LookupAttribute(node, "value_dtype")) table.value_type = dtype->type();
  tables_.push_back(std::move(table));
  return found->second;
}

int Initialization::TableOfObject(int object) {
  if (auto found = table_objects_.find(object); found != table_objects_.end()) {
    return found->second;
  }
  const auto& graph = library_.model().object_graph_def();
  if (object < 0 || object >= graph.nodes_size()) return -1;
  int table = -1;
  auto bound_inputs_of = [&](const std::string& function) -> std::span<const int> {
    auto found = graph.concrete_functions().find(function);
    if (found == graph.concrete_functions().end()) return {};
    const auto& bound = found->second.bound_inputs();
    return std::span(bound.data(), static_cast<size_t>(bound.size()));
  };
  auto function_of = [&](std::string_view name) -> std::string {
    for (const auto& child : graph.nodes(object).children()) {
      if (child.local_name() != name || child.node_id() < 0 ||
          child.node_id() >= graph.nodes_size()) {
        continue;
      }
      const auto& node = graph.nodes(child.node_id());
      if (node.has_function() && node.function().concrete_functions_size() > 0) {
        return node.function().concrete_functions(0);
      }
      if (node.has_bare_concrete_function()) {
        return node.bare_concrete_function().concrete_function_name();
      }
    }
    return "";
  };
  const std::string create = function_of("_create_resource");
  auto body = library_.FindBody(create);
  if (body.ok()) {
    Place place = PlaceOfFunction(**body, bound_inputs_of(create));
    for (int i = 0; i < (*body)->num_nodes(); ++i) {
      if (MakesTable((*body)->node(i).op())) table = TableOfNode(place, i);
    }
  }
  table_objects_[object] = table;
  if (table < 0) return table;
  const ModelTable& made = tables_[static_cast<size_t>(table)];
  if (!made.file && !made.keys) {
    const std::string initialize = function_of("_initialize");
    if (graph.concrete_functions().contains(initialize)) {
      RunFunction(initialize, bound_inputs_of(initialize));
    }
  }
  return table;
}

Initialization::Known Initialization::KnownOfObject(int object) {
  const auto& objects = library_.model().object_graph_def().nodes();
  if (object < 0 || object >= objects.size()) return {};
  const auto& node = objects[object];
  if (node.has_asset()) {
    return {.kind = Known::Kind::kAsset,
            .asset = AssetOfIndex(node.asset().asset_file_def_index())};
  }
  if (node.has_constant()) {
    const int index = library_.graph().Lookup(node.constant().operation());
    Place place{.graph = &library_.graph()};
    return index < 0 ? Known() : ValueOfNode(place, index, 0);
  }
  if (node.has_variable())
    return {.kind = Known::Kind::kVariable, .index = VariableOfObject(object)};
  if (node.has_resource()) {
    const int table = TableOfObject(object);
    if (table >= 0) return {.kind = Known::Kind::kTable, .index = table};
  }
  return {};
}

void Initialization::RunFunction(const std::string& name, std::span<const int> objects) {
  auto body = library_.FindBody(name);
  if (!body.ok()) return;
  Place place = PlaceOfFunction(**body, objects);
  RunBody(place);
}

Initialization::Place Initialization::PlaceOfFunction(const NodeGraph& graph,
                                                      std::span<const int> objects) {
  Place place{.graph = &graph};
  const int own = graph.function()->signature().input_arg_size();
  place.arguments.resize(static_cast<size_t>(std::max(0, own - static_cast<int>(objects.size()))));
  for (int object : objects) place.arguments.push_back(KnownOfObject(object));
  return place;
}

int Initialization::TableOfNode(Place& place, int node) {
  const int table = TableOf(*place.graph, node);
  if (place.graph->node(node).op().find("Dense") == std::string::npos ||
      !tables_[static_cast<size_t>(table)].unused_keys.empty()) {
    return table;
  }
  std::vector<InitialTensor> keys;
  for (size_t input : {size_t{0}, size_t{1}}) {
    if (InitialTensor key = TensorAt(place, node, input)) keys.push_back(std::move(key));
  }
  tables_[static_cast<size_t>(table)].unused_keys = std::move(keys);
  return table;
}

// --- following ----------------------------------------------------------------------------------

Status Initialization::Run() {
  const tensorflow::MetaGraphDef& model = library_.model();
  if (!model.saver_def().restore_op_name().empty()) {
    RunReference(model.saver_def().restore_op_name());
  } else {
    // Without a restore op, variables have the entries with their names.
    for (int i = 0; i < library_.graph().num_nodes(); ++i) {
      const auto& node = library_.graph().node(i);
      if (!MakesVariable(node.op())) continue;
      const std::string shared = TextAttribute(node, "shared_name");
      for (const std::string& key : {shared, node.name()}) {
        if (key.empty() || bundle_.Lookup(key) == nullptr) continue;
        variables_[static_cast<size_t>(VariableOf(library_.graph(), i))].value.key = key;
        break;
      }
    }
  }
  auto signature = model.signature_def().find("__saved_model_init_op");
  bool has_init = false;
  if (signature != model.signature_def().end()) {
    auto output = signature->second.outputs().find("__saved_model_init_op");
    if (output != signature->second.outputs().end()) {
      has_init = RunReference(output->second.name());
    }
  }
  for (const char* collection : {"saved_model_main_op", "legacy_init_op"}) {
    if (has_init) break;
    const auto* nodes = NodesOf(model, collection);
    if (nodes != nullptr && nodes->size() == 1) has_init = RunReference(nodes->Get(0));
  }
  if (const auto* nodes = NodesOf(model, "table_initializer")) {
    for (const std::string& node : *nodes) RunReference(node);
  }
  AddValuesOfObjects();
  // Nodes that share a name are one variable.
  const NodeGraph& graph = library_.graph();
  for (int i = 0; i < graph.num_nodes(); ++i) {
    if (!MakesVariable(graph.node(i).op())) continue;
    const ModelVariable& variable = variables_[static_cast<size_t>(VariableOf(graph, i))];
    if (variable.value) shared_values_.emplace(SharedNameOf(graph.node(i)), variable.value);
  }
  for (int i = 0; i < graph.num_nodes(); ++i) {
    if (!MakesVariable(graph.node(i).op())) continue;
    ModelVariable& variable = variables_[static_cast<size_t>(VariableOf(graph, i))];
    if (variable.value) continue;
    auto found = shared_values_.find(SharedNameOf(graph.node(i)));
    if (found != shared_values_.end()) variable.value = found->second;
  }
  return absl::OkStatus();
}

void Initialization::AddValuesOfObjects() {
  const NodeGraph& graph = library_.graph();
  const auto& functions = library_.model().object_graph_def().concrete_functions();
  for (int i = 0; !functions.empty() && i < graph.num_nodes(); ++i) {
    // The last inputs of a call are the objects that the function captures.
    auto function = functions.find(CalledFunction(library_, graph.node(i)));
    if (function == functions.end()) continue;
    const auto& objects = function->second.bound_inputs();
    auto inputs = graph.InputsOf(i);
    if (!inputs.ok() || inputs->size() < static_cast<size_t>(objects.size())) continue;
    const size_t first = inputs->size() - static_cast<size_t>(objects.size());
    for (int k = 0; k < objects.size(); ++k) {
      const NodeReference& input = (*inputs)[first + static_cast<size_t>(k)];
      if (input.kind != NodeReference::Kind::kNode || !MakesVariable(graph.node(input.index).op()))
        continue;
      const int variable = VariableOf(graph, input.index);
      if (variables_[static_cast<size_t>(variable)].value) continue;
      const int object = VariableOfObject(objects.Get(k));
      if (object < 0) continue;
      InitialTensor value = variables_[static_cast<size_t>(object)].value;
      if (value) variables_[static_cast<size_t>(variable)].value = std::move(value);
    }
  }
}

bool Initialization::RunReference(const std::string& reference) {
  const size_t colon = reference.find(':');
  const int node = library_.graph().Lookup(std::string_view(reference).substr(0, colon));
  if (node < 0) return false;
  places_.push_back(std::make_unique<Place>(Place{.graph = &library_.graph()}));
  RunNode(*places_.back(), node);
  return true;
}

Initialization::Place* Initialization::InnerPlace(Place& place, int node) {
  auto [found, is_new] = place.calls.emplace(node, nullptr);
  if (!is_new) return found->second;
  auto body = library_.FindBody(CalledFunction(library_, place.graph->node(node)));
  auto inputs = place.graph->InputsOf(node);
  if (!body.ok() || !inputs.ok() || place.depth >= 64 || places_.size() > kMaxPlaces) {
    return nullptr;
  }
  auto inner = std::make_unique<Place>(Place{.graph = *body, .depth = place.depth + 1});
  for (const NodeReference& input : *inputs) inner->arguments.push_back(ValueOf(place, input));
  places_.push_back(std::move(inner));
  return place.calls[node] = places_.back().get();
}

Initialization::Known Initialization::InputOf(Place& place, int node, size_t input) {
  auto inputs = place.graph->InputsOf(node);
  if (!inputs.ok() || input >= inputs->size()) return {};
  return ValueOf(place, (*inputs)[input]);
}

Initialization::Known Initialization::ValueOf(Place& place, const NodeReference& reference) {
  if (reference.kind == NodeReference::Kind::kArgument) {
    const auto index = static_cast<size_t>(reference.index);
    return index < place.arguments.size() ? place.arguments[index] : Known();
  }
  if (++num_steps_ > kMaxFollowedSteps || depth_ >= kMaxFollowedDepth) return {};
  ++depth_;
  Known out = ValueOfNode(place, reference.index, reference.output);
  --depth_;
  return out;
}

Initialization::Known Initialization::ValueOfNode(Place& place, int index, int output) {
  const tensorflow::NodeDef& node = place.graph->node(index);
  const std::string& op = node.op();
  const bool is_top = place.graph == &library_.graph();
  if (MakesVariable(op))
    return {.kind = Known::Kind::kVariable, .index = VariableOf(*place.graph, index)};
  if (MakesTable(op)) return {.kind = Known::Kind::kTable, .index = TableOfNode(place, index)};
  if (is_top && (op == "Const" || op == "Placeholder" || op == "PlaceholderWithDefault")) {
    if (std::string asset = AssetOf(node.name()); !asset.empty()) {
      return {.kind = Known::Kind::kAsset, .asset = std::move(asset)};
    }
    std::string prefix = library_.model().saver_def().filename_tensor_name();
    prefix.resize(std::min(prefix.find(':'), prefix.size()));
    if (node.name() == prefix) return {.kind = Known::Kind::kPrefix};
  }
  if (op == "Const") {
    const auto* value = LookupAttribute(node, "value");
    if (value == nullptr) return {};
    return {.kind = Known::Kind::kTensor, .tensor = {.constant = &value->tensor()}};
  }
  if (IsOneOf(op, {"Identity", "RefIdentity", "Reshape", "PlaceholderWithDefault", "StopGradient",
                   "Snapshot", "DisableCopyOnRead"})) {
    return InputOf(place, index, 0);
  }
  if (op == "RestoreV2") {
    if (InputOf(place, index, 0).kind != Known::Kind::kPrefix) return {};
    const Known names = InputOf(place, index, 1);
    const Known slices = InputOf(place, index, 2);
    if (names.tensor.constant == nullptr) return {};
    auto keys = TensorFromGraph(*names.tensor.constant);
    if (!keys.ok() || !keys->is_string() || output >= keys->num_elements()) return {};
    Known out{.kind = Known::Kind::kTensor};
    out.tensor.key = keys->string_at(output);
    if (slices.tensor.constant != nullptr) {
      auto specs = TensorFromGraph(*slices.tensor.constant);
      if (!specs.ok() || !specs->is_string() || output >= specs->num_elements()) return {};
      auto ranges = ParseSlice(specs->string_at(output));
      if (!ranges) return {};
      out.tensor.ranges = *std::move(ranges);
    }
    return out;
  }
  if (!CalledFunction(library_, node).empty()) {
    Place* inner = InnerPlace(place, index);
    if (inner == nullptr) return {};
    const auto& function = *inner->graph->function();
    if (output >= function.signature().output_arg_size()) return {};
    auto ret = function.ret().find(function.signature().output_arg(output).name());
    if (ret == function.ret().end()) return {};
    auto reference = inner->graph->Resolve(ret->second);
    return reference.ok() ? ValueOf(*inner, *reference) : Known();
  }
  if (op == "ReadVariableOp") {
    return {.kind = Known::Kind::kTensor, .tensor = TensorAt(place, index, 0)};
  }
  return Compute(place, index, output);
}

InitialTensor Initialization::TensorAt(Place& place, int node, size_t input) {
  Known known = InputOf(place, node, input);
  if (known.kind != Known::Kind::kVariable) return std::move(known.tensor);
  return known.index < 0 ? InitialTensor() : variable(known.index).value;
}

void Initialization::RunBody(Place& place) {
  const auto& function = *place.graph->function();
  std::vector<std::string> roots;
  for (const auto& [name, node] : function.control_ret()) roots.push_back(Cat("^", node));
  for (const auto& [name, reference] : function.ret()) roots.push_back(reference);
  std::sort(roots.begin(), roots.end());
  for (const std::string& root : roots) {
    auto reference = place.graph->Resolve(root);
    if (reference.ok() && reference->kind != NodeReference::Kind::kArgument &&
        reference->index >= 0) {
      RunNode(place, reference->index);
    }
  }
}

void Initialization::RunNode(Place& place, int node) {
  if (++num_steps_ > kMaxFollowedSteps || depth_ >= kMaxFollowedDepth ||
      !place.done.insert(node).second)
    return;
  ++depth_;
  for (bool is_control : {true, false}) {
    auto inputs = is_control ? place.graph->ControlInputsOf(node) : place.graph->InputsOf(node);
    if (!inputs.ok()) continue;
    for (const NodeReference& input : *inputs) {
      if (input.kind != NodeReference::Kind::kArgument) RunNode(place, input.index);
    }
  }
  RunEffect(place, node);
  --depth_;
}

void Initialization::RunEffect(Place& place, int index) {
  const tensorflow::NodeDef& node = place.graph->node(index);
  const std::string& op = node.op();
  if (IsOneOf(op, {"Assign", "AssignVariableOp"})) {
    const Known target = InputOf(place, index, 0);
    if (target.kind != Known::Kind::kVariable || target.index < 0) return;
    InitialTensor value = TensorAt(place, index, 1);
    variables_[static_cast<size_t>(target.index)].value = std::move(value);
  } else if (IsOneOf(op, {"BoostedTreesCreateEnsemble", "BoostedTreesDeserializeEnsemble"})) {
    const Known target = InputOf(place, index, 0);
    if (target.kind != Known::Kind::kVariable || target.index < 0) return;
    InitialTensor value = TensorAt(place, index, 2);
    InitialTensor& kept = variables_[static_cast<size_t>(target.index)].value;
    // An ensemble that exists is not created again.
    if (op == "BoostedTreesDeserializeEnsemble" || !kept) kept = std::move(value);
  } else if (op == "BoostedTreesQuantileStreamResourceDeserialize") {
    const Known target = InputOf(place, index, 0);
    if (target.kind != Known::Kind::kVariable || target.index < 0) return;
    auto inputs = place.graph->InputsOf(index);
    std::vector<int> parts;
    for (size_t i = 1; inputs.ok() && i < inputs->size(); ++i) {
      InitialTensor value = TensorAt(place, index, i);
      parts.push_back(static_cast<int>(variables_.size()));
      variables_.push_back({.name = Cat(variable(target.index).name, "_", i - 1),
                            .data_type = tensorflow::DT_FLOAT,
                            .value = std::move(value)});
    }
    variables_[static_cast<size_t>(target.index)].parts = std::move(parts);
  } else if (IsOneOf(op, {"InitializeTable", "InitializeTableV2", "LookupTableImport",
                          "LookupTableImportV2"})) {
    const Known target = InputOf(place, index, 0);
    if (target.kind != Known::Kind::kTable) return;
    InitialTensor keys = TensorAt(place, index, 1);
    InitialTensor values = TensorAt(place, index, 2);
    ModelTable& table = tables_[static_cast<size_t>(target.index)];
    table.keys = std::move(keys);
    table.values = std::move(values);
    table.starts_empty = false;
    table.file.reset();
  } else if (IsOneOf(op, {"InitializeTableFromTextFile", "InitializeTableFromTextFileV2"})) {
    const Known target = InputOf(place, index, 0);
    const Known file = InputOf(place, index, 1);
    if (target.kind != Known::Kind::kTable) return;
    ModelTable& table = tables_[static_cast<size_t>(target.index)];
    table.keys = table.values = {};
    table.starts_empty = false;
    table.file.reset();
    if (file.kind != Known::Kind::kAsset) return;
    table.file = ModelTable::TextFile{.asset = file.asset,
                                      .key_index = IntAttributeOr(node, "key_index", -2),
                                      .value_index = IntAttributeOr(node, "value_index", -1),
                                      .vocab_size = IntAttributeOr(node, "vocab_size", -1),
                                      .offset = IntAttributeOr(node, "offset", 0)};
    const std::string delimiter = TextAttribute(node, "delimiter");
    if (!delimiter.empty()) table.file->delimiter = delimiter;
  } else if (op.starts_with("LookupTableInsert") || op.starts_with("LookupTableRemove")) {
    const Known target = InputOf(place, index, 0);
    if (target.kind != Known::Kind::kTable) return;
    ModelTable& table = tables_[static_cast<size_t>(target.index)];
    table.keys = {.fault = Cat("changed by ", place.graph->PlaceOf(index))};
    table.values = {};
    table.starts_empty = false;
    table.file.reset();
  } else if (!CalledFunction(library_, node).empty()) {
    if (Place* inner = InnerPlace(place, index)) RunBody(*inner);
  }
}

// --- values -------------------------------------------------------------------------------------

StatusOr<CapturedValue> Initialization::Read(const InitialTensor& tensor) {
  if (tensor.computed != nullptr) return CapturedValue(*tensor.computed);
  if (tensor.constant == nullptr) return bundle_.Read(tensor.key, tensor.ranges);
  SIGNET_ASSIGN_OR_RETURN(Tensor value, TensorFromGraph(*tensor.constant));
  return CapturedValue(std::move(value));
}

StatusOr<CapturedValue> Initialization::Read(const ModelVariable& variable) {
  const std::string place = Cat("variable `", Printable(variable.name), "`");
  if (!variable.value) {
    return FailedPrecondition(place, " has no value that is known when the model is loaded",
                              variable.value.fault.empty() ? "" : ": ", variable.value.fault);
  }
  auto value = Read(variable.value);
  if (!value.ok()) return At(place, value.status());
  auto dtype = tf::StoredDTypeFromNumber(variable.data_type);
  if (!dtype.ok()) return At(place, dtype.status());
  PartialShape shape;
  if (variable.shape != nullptr) {
    auto stated = PartialShapeFromGraph(*variable.shape);
    if (!stated.ok()) return At(place, stated.status());
    shape = *std::move(stated);
  }
  const auto* found = value->spec().As<TensorSpec>();
  if (found->dtype() != *dtype || !found->shape().IsSubtypeOf(shape)) {
    return InvalidArgument(place, ": expected `", TensorType(*dtype, shape), "`, found `",
                           value->spec(), "` in the checkpoint");
  }
  return value;
}

}  // namespace signet
