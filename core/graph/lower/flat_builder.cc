#include "core/graph/lower/flat_builder.h"

#include <algorithm>

#include "core/base/checked_math.h"
#include "core/base/hash.h"
#include "core/graph/flat/capture_edges.h"
#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/run_kernel.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

constexpr int kMaxBodies = 4096;               // specialized for one function, kept or not
constexpr size_t kSharedConstantBytes = 4096;  // larger constants are not worth comparing
constexpr size_t kPlenty = 8;  // multiple of the input bytes; see max_expanded_bytes

uint64_t HashTensor(const Tensor& tensor) {
  uint64_t hash = static_cast<uint64_t>(tensor.dtype());
  for (int64_t dim : tensor.shape().dims()) hash = MixHash(hash, static_cast<uint64_t>(dim));
  return MixHash(MixHash(hash, HashBytes(tensor.data().text())), HashBytes(tensor.bytes().text()));
}

// Returns true if all inputs are known and the op is deterministic.
bool IsFoldable(const OpCall& call) {
  if (!call.op.foldable || call.inputs.empty()) return false;
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    if (call.inputs[i] && call.constants[i] == nullptr) return false;
  }
  return true;
}

size_t BytesOf(std::span<const Tensor* const> tensors) {
  size_t bytes = 0;
  for (const Tensor* tensor : tensors) bytes += tensor == nullptr ? 0 : tensor->num_bytes();
  return bytes;
}

// Returns the smallest size of tensors of these types; unknown dimensions and text count as 0.
size_t AtLeastBytesOf(std::span<const TypeSpec> types) {
  size_t bytes = 0;
  for (const TypeSpec& type : types) {
    auto elements = type.shape()->num_elements();
    auto element = static_cast<int64_t>(SizeOf(type.As<TensorSpec>()->dtype()));
    auto size = CheckedMultiply(elements.value_or(0), element);
    if (!size) return SIZE_MAX;
    bytes = std::max(bytes, static_cast<size_t>(*size));
  }
  return bytes;
}

}  // namespace

void AlignmentWarnings::AddContext(std::string_view where, size_t first) {
  for (size_t i = first; i < texts_.size(); ++i) texts_[i] = Cat(where, ": ", texts_[i]);
}

std::vector<std::string> AlignmentWarnings::Take() && {
  std::vector<std::string> out;
  for (std::string& text : texts_) {
    if (std::find(out.begin(), out.end(), text) == out.end()) out.push_back(std::move(text));
  }
  return out;
}

int FlatBuilder::AddEdge(TypeSpec spec, Tensor constant) {
  const int edge = static_cast<int>(graph_.edges.size());
  if (constant.has_value()) known_.emplace(edge, constant);
  graph_.edges.push_back({std::move(spec), std::move(constant)});
  return edge;
}

int FlatBuilder::AddConstant(const Tensor& tensor) {
  if (!options_.optimize || tensor.num_bytes() > kSharedConstantBytes) {
    return AddEdge(tensor.spec(), tensor);
  }
  uint64_t hash = HashTensor(tensor);
  const int same = LookupEqual(tensor, hash);
  if (same != kNoEdge) return same;
  int edge = AddEdge(tensor.spec(), tensor);
  constants_.emplace(hash, edge);
  return edge;
}

int FlatBuilder::LookupEqual(const Tensor& tensor, uint64_t hash) const {
  auto [first, last] = constants_.equal_range(hash);
  for (; first != last; ++first) {
    if (!SameTensor(graph_.edges[static_cast<size_t>(first->second)].constant, tensor)) continue;
    NoteRead(first->second);
    return first->second;
  }
  return kNoEdge;
}

int FlatBuilder::AddCapture(const std::string& name, size_t component, const Tensor& tensor) {
  if (!options_.optimize) {
    const int edge = AddEdge(tensor.spec(), tensor);
    graph_.edges.back().capture = name;
    graph_.edges.back().component = component;
    return edge;
  }
  auto [found, is_new] = captures_.try_emplace({name, component}, kNoEdge);
  if (!is_new) return found->second;
  // Equal settings, such as shapes, make equal calls. Equal weights are rare, and sharing them
  // would bind the graph to their values.
  const bool is_setting = IsFloat(tensor.dtype()) ? tensor.num_elements() == 1
                                                  : tensor.num_bytes() <= kSharedConstantBytes;
  const uint64_t hash = is_setting ? HashTensor(tensor) : 0;
  const int same = is_setting ? LookupEqual(tensor, hash) : kNoEdge;
  if (same != kNoEdge) {
    spent_->folded_captures.insert(name);
    return found->second = same;
  }
  const int edge = AddEdge(tensor.spec(), tensor);
  graph_.edges.back().capture = name;
  graph_.edges.back().component = component;
  if (is_setting) constants_.emplace(hash, edge);
  return found->second = edge;
}

GraphValue FlatBuilder::Capture(const std::string& name, const Value& value) {
  GraphValue captured{value.spec(), {}};
  for (const Tensor& tensor : value.components()) {
    captured.components.push_back(AddCapture(name, captured.components.size(), tensor));
  }
  return captured;
}

int FlatBuilder::CopyConstant(const FlatBuilder& outer, int edge) {
  const FlatEdge& from = outer.graph_.edges[static_cast<size_t>(edge)];
  const Tensor& known = outer.known_.at(edge);
  return from.capture.empty() ? AddConstant(known)
                              : AddCapture(from.capture, from.component, known);
}

void FlatBuilder::NoteRead(int edge) const {
  if (edge == kNoEdge) return;
  const FlatEdge& read = graph_.edges[static_cast<size_t>(edge)];
  if (!read.capture.empty()) spent_->folded_captures.insert(read.capture);
}

GraphValue FlatBuilder::AddInput(const TypeSpec& spec) {
  GraphValue value{spec, {}};
  for (const ComponentSpec& component : ComponentsOf(spec)) {
    value.components.push_back(AddEdge(component.spec));
  }
  graph_.num_inputs = static_cast<int>(graph_.edges.size());
  return value;
}

GraphValue FlatBuilder::Constant(const Value& value) {
  GraphValue constant{value.spec(), {}};
  for (const Tensor& tensor : value.components())
    constant.components.push_back(AddConstant(tensor));
  return constant;
}

const Tensor* FlatBuilder::LookupConstant(int edge) const {
  auto known = known_.find(edge);
  if (known == known_.end()) return nullptr;
  NoteRead(edge);
  return &known->second;
}

StatusOr<bool> FlatBuilder::Fold(const OpCall& call, const FlatNode& node,
                                 std::span<const TypeSpec> types, std::vector<Tensor>& outputs) {
  if (!IsFoldable(call)) return false;
  size_t left = options_.max_folded_bytes - spent_->folded_bytes;
  size_t read = BytesOf(call.constants);
  if (read > left) return false;
  const size_t plenty = read > SIZE_MAX / kPlenty ? SIZE_MAX : kPlenty * read;
  const size_t most =
      std::min(left - read, std::max(plenty, options_.max_expanded_bytes - spent_->expanded_bytes));
  if (AtLeastBytesOf(types) > most) return false;
  for (int edge : node.inputs) NoteRead(edge);
  auto run = [&]() -> StatusOr<std::vector<Tensor>> {
    SIGNET_ASSIGN_OR_RETURN(std::unique_ptr<Kernel> kernel, KernelFor(call, types));
    double spent = spent_->folded_nanoseconds + kernel->Cost();
    if (!(spent <= options_.max_folded_nanoseconds)) {
      return ResourceExhausted("the time limit of folding is exceeded");
    }
    // The estimated cost ignores what depends on values. A kernel calls the check after each
    // kStopInterval of work, which measures the work without a clock.
    double worked = spent_->folded_nanoseconds;
    spent_->folded_nanoseconds = spent;
    auto check = [&]() -> Status {
      worked += static_cast<double>(kStopInterval);
      spent_->folded_nanoseconds = std::max(spent_->folded_nanoseconds, worked);
      if (worked <= options_.max_folded_nanoseconds) return absl::OkStatus();
      return ResourceExhausted("the time limit of folding is exceeded");
    };
    RunBudget budget{.max_bytes = static_cast<int64_t>(most)};
    return RunKernelOnce(*kernel, call, types, SerialParallel(), &budget, check);
  };
  auto made = run();
  // A call that exceeds the limits of folding may fit into the limits of a run, or is rejected
  // then.
  if (made.status().code() == absl::StatusCode::kResourceExhausted) return false;
  SIGNET_ASSIGN_OR_RETURN(outputs, std::move(made));
  size_t made_bytes = 0;
  for (const Tensor& output : outputs) made_bytes += output.num_bytes();
  spent_->folded_bytes += std::min(read + made_bytes, left);
  if (made_bytes > plenty) {
    spent_->expanded_bytes =
        std::min(spent_->expanded_bytes + made_bytes, options_.max_expanded_bytes);
  }
  return true;
}

StatusOr<std::vector<GraphValue>> FlatBuilder::CallOnTensors(const OpDef& op,
                                                             std::span<const GraphValue> inputs,
                                                             const Attributes& attributes) {
  FlatNode node{&op, {}, attributes, {}};
  uint64_t fingerprint = MixHash(HashBytes(op.name), attributes.fingerprint());
  for (const GraphValue& input : inputs) {
    node.inputs.push_back(input.spec ? input.components[0] : kNoEdge);
    fingerprint = MixHash(fingerprint, static_cast<uint64_t>(node.inputs.back()));
  }
  auto values = [&](const std::vector<int>& edges) {
    std::vector<GraphValue> out;
    for (int edge : edges) out.push_back({graph_.edges[static_cast<size_t>(edge)].spec, {edge}});
    return out;
  };
  if (options_.optimize && op.foldable) {
    auto [first, last] = calls_.equal_range(fingerprint);
    for (; first != last; ++first) {
      const FlatNode& made = graph_.nodes[first->second];
      if (made.op == &op && made.inputs == node.inputs && made.attributes == attributes) {
        return values(made.outputs);
      }
    }
  }
  auto types = InferWithCaptures(graph_, op, node.inputs, attributes, spent_->folded_captures);
  NodeInputs known = InputsOf(graph_, node.inputs);
  OpCall call{op, known.specs, attributes, known.constants};
  if (!types.ok()) return AtOp(op, types.status());
  std::vector<Tensor> folded;
  if (options_.optimize) {
    auto was_folded = Fold(call, node, *types, folded);
    if (!was_folded.ok() && !options_.defer_errors) return AtOp(op, was_folded.status());
  }
  auto elements = folded.empty() ? FindElements(call, node, *types) : std::nullopt;
  if (options_.optimize && elements &&
      std::all_of(elements->begin(), elements->end(),
                  [](const KnownElements& output) { return output.IsComplete(); })) {
    for (KnownElements& output : *elements) folded.push_back(std::move(output.values));
  }
  if (!folded.empty()) {
    for (const Tensor& tensor : folded) node.outputs.push_back(AddConstant(tensor));
    return values(node.outputs);
  }
  SIGNET_RETURN_IF_ERROR(CheckNumNodes());
  for (TypeSpec& type : *types) node.outputs.push_back(AddEdge(std::move(type)));
  std::vector<int> outputs = node.outputs;
  if (!options_.optimize) Learn(node);
  for (size_t i = 0; elements && i < outputs.size(); ++i) {
    KnownElements& output = (*elements)[i];
    if (output.IsComplete()) {
      known_.emplace(outputs[i], std::move(output.values));
    } else {
      elements_.emplace(outputs[i], std::move(output));
    }
  }
  DeriveRanks(node);
  calls_.emplace(fingerprint, graph_.nodes.size());
  graph_.nodes.push_back(std::move(node));
  dimensions_.Derive(graph_.nodes.back(), graph_.edges);
  return values(outputs);
}

std::optional<std::vector<KnownElements>> FlatBuilder::FindElements(
    const OpCall& call, const FlatNode& node, std::span<const TypeSpec> types) {
  std::vector<const Tensor*> constants;
  std::vector<const KnownElements*> elements;
  for (int edge : node.inputs) {
    auto known = known_.find(edge);
    auto found = elements_.find(edge);
    constants.push_back(known == known_.end() ? nullptr : &known->second);
    elements.push_back(found == elements_.end() ? nullptr : &found->second);
  }
  auto made =
      DeriveKnownElements({call.op, call.inputs, call.attributes, constants}, types, elements);
  if (made) {
    for (int edge : node.inputs) NoteRead(edge);
  }
  return made;
}

RankSet FlatBuilder::RanksOf(int edge) const {
  const PartialShape& shape = *TypeOf(edge).shape();
  RankSet ranks;
  if (!shape.has_rank()) {
    auto found = ranks_.find(edge);
    return found == ranks_.end() ? ranks.set() : found->second;
  }
  // A higher rank is not listed, so that nothing is known about the ranks.
  if (static_cast<size_t>(shape.rank()) >= ranks.size()) return ranks.set();
  return ranks.set(static_cast<size_t>(shape.rank()));
}

void FlatBuilder::SetRanks(int edge, RankSet ranks) {
  if (ranks.none() || ranks.all() || TypeOf(edge).shape()->has_rank()) return;
  ranks_.insert_or_assign(edge, ranks);
}

void FlatBuilder::SetSame(int inside, const FlatBuilder& outer, int edge) {
  dimensions_.Set(inside, outer.dimensions().Of(edge));
  SetRanks(inside, outer.RanksOf(edge));
  auto found = outer.elements_.find(edge);
  if (found != outer.elements_.end()) elements_.emplace(inside, found->second);
}

void FlatBuilder::RemoveNodesFrom(size_t count) {
  graph_.nodes.resize(count);
  std::erase_if(calls_, [&](const auto& call) { return call.second >= count; });
}

void FlatBuilder::DeriveRanks(const FlatNode& node) {
  const bool is_elementwise = node.op->family == OpFamily::kUnaryElementwise ||
                              node.op->family == OpFamily::kBinaryElementwise ||
                              node.op->name == "cast" || node.op->name == "identity" ||
                              node.op->name == "clip" || node.op->name == "select";
  if (!is_elementwise || node.outputs.size() != 1 || node.op->name == "bitcast") return;
  if (TypeOf(node.outputs[0]).shape()->has_rank()) return;
  RankSet all = RankSet(1);  // the largest rank of the inputs
  for (int edge : node.inputs) {
    if (edge == kNoEdge) continue;
    const RankSet own = RanksOf(edge);
    RankSet larger;
    for (size_t a = 0; a < all.size(); ++a) {
      for (size_t b = 0; b < own.size(); ++b) {
        if (all[a] && own[b]) larger.set(std::max(a, b));
      }
    }
    all = larger;
  }
  SetRanks(node.outputs[0], all);
}

Status FlatBuilder::CheckNumNodes() const {
  if (graph_.nodes.size() < static_cast<size_t>(options_.max_nodes)) return absl::OkStatus();
  return ResourceExhausted("the specialized function exceeds the limit of ", options_.max_nodes,
                           " nodes; use a loop (`while`, `map`, `scan`) for repeated nodes");
}

StatusOr<std::unique_ptr<FlatBuilder>> FlatBuilder::MakeBody() {
  if (++spent_->bodies > kMaxBodies) {
    return ResourceExhausted("nested branches and loops exceed the limit of ", kMaxBodies,
                             " specialized bodies; use fewer levels");
  }
  Options options = options_;
  options.defer_errors = true;
  auto body = std::make_unique<FlatBuilder>(library(), options, dimensions_.registry());
  body->spent_ = spent_;
  body->CountWith(*this);
  return body;
}

StatusOr<std::vector<int>> FlatBuilder::AddControl(FlatNode node) {
  SIGNET_RETURN_IF_ERROR(CheckNumNodes());
  if (!node.inputs.empty()) NoteRead(node.inputs[0]);  // the number of iterations may be known
  SIGNET_ASSIGN_OR_RETURN(std::vector<TypeSpec> types, InferControl(graph_, node));
  for (TypeSpec& type : types) node.outputs.push_back(AddEdge(std::move(type)));
  std::vector<int> outputs = node.outputs;
  graph_.nodes.push_back(std::move(node));
  return outputs;
}

void FlatBuilder::Learn(const FlatNode& node) {
  NodeInputs inputs;
  for (int edge : node.inputs) {
    inputs.constants.push_back(edge == kNoEdge ? nullptr : LookupConstant(edge));
    if (edge != kNoEdge && inputs.constants.back() == nullptr) return;
    inputs.specs.push_back(edge == kNoEdge ? TypeSpec() : inputs.constants.back()->spec());
  }
  OpCall call{*node.op, inputs.specs, node.attributes, inputs.constants};
  auto types = node.op->infer(call);
  std::vector<Tensor> made;
  // An error is reported when the node runs.
  if (!types.ok() || !Fold(call, node, *types, made).ok()) return;
  for (size_t i = 0; i < made.size(); ++i) known_.emplace(node.outputs[i], std::move(made[i]));
}

FlatGraph FlatBuilder::Finish(const GraphValue& result) && {
  graph_.results.assign(result.components.begin(), result.components.end());
  graph_.folded_captures = spent_->folded_captures;
  return std::move(graph_);
}

}  // namespace signet
