#include "core/frontends/savedmodel/import/node_graph.h"

#include <charconv>
#include <map>
#include <utility>

namespace signet {
namespace {

// One output of an operator with several. `size` is the attribute with the number of tensors in a
// list: an integer, or a list of types.
struct OutputName {
  std::string_view name;
  std::string_view size = {};
};

// The names of outputs by operator. An operator that is missing has one output, or one list.
const std::vector<OutputName>* LookupOutputs(std::string_view op) {
  using Names = std::vector<OutputName>;
  static const auto* const table = [] {
    auto* out = new std::map<std::string, Names, std::less<>>;
    auto add = [out](std::initializer_list<const char*> ops, const Names& names) {
      for (const char* name : ops) (*out)[name] = names;
    };
    add({"TopK", "TopKV2", "ApproxTopK"}, {{"values"}, {"indices"}});
    add({"Unique", "UniqueV2"}, {{"y"}, {"idx"}});
    add({"UniqueWithCounts", "UniqueWithCountsV2"}, {{"y"}, {"idx"}, {"count"}});
    add({"ListDiff"}, {{"out"}, {"idx"}});
    add({"Switch", "RefSwitch"}, {{"output_false"}, {"output_true"}});
    add({"Merge", "RefMerge"}, {{"output"}, {"value_index"}});
    const Names norm = {{"y"},
                        {"batch_mean"},
                        {"batch_variance"},
                        {"reserve_space_1"},
                        {"reserve_space_2"},
                        {"reserve_space_3"}};
    add({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx"}, norm);
    add({"MaxPoolWithArgmax"}, {{"output"}, {"argmax"}});
    add({"SoftmaxCrossEntropyWithLogits", "SparseSoftmaxCrossEntropyWithLogits"},
        {{"loss"}, {"backprop"}});
    add({"NonMaxSuppressionV4"}, {{"selected_indices"}, {"valid_outputs"}});
    add({"NonMaxSuppressionV5"}, {{"selected_indices"}, {"selected_scores"}, {"valid_outputs"}});
    add({"GRUBlockCell"}, {{"r"}, {"u"}, {"c"}, {"h"}});
    add({"LSTMBlockCell", "BlockLSTM", "BlockLSTMV2"},
        {{"i"}, {"cs"}, {"f"}, {"o"}, {"ci"}, {"co"}, {"h"}});
    add({"DecodeWav"}, {{"audio"}, {"sample_rate"}});
    add({"Qr"}, {{"q"}, {"r"}});
    add({"LogMatrixDeterminant"}, {{"sign"}, {"log_abs_determinant"}});
    add({"CTCGreedyDecoder"},
        {{"decoded_indices"}, {"decoded_values"}, {"decoded_shape"}, {"log_probability"}});
    add({"NearestNeighbors"}, {{"nearest_center_indices"}, {"nearest_center_distances"}});
    add({"CombinedNonMaxSuppression"},
        {{"nmsed_boxes"}, {"nmsed_scores"}, {"nmsed_classes"}, {"valid_detections"}});
    add({"TensorListPopBack"}, {{"output_handle"}, {"tensor"}});
    add({"TensorListConcat", "TensorListConcatV2"}, {{"tensor"}, {"lengths"}});
    add({"TensorArrayV3"}, {{"handle"}, {"flow"}});
    add({"TensorArrayConcatV3"}, {{"value"}, {"lengths"}});
    add({"LookupTableExport", "LookupTableExportV2"}, {{"keys"}, {"values"}});
    add({"QuantizeV2"}, {{"output"}, {"output_min"}, {"output_max"}});
    add({"StatelessRandomGetKeyCounter"}, {{"key"}, {"counter"}});
    add({"StatelessRandomGetKeyCounterAlg"}, {{"key"}, {"counter"}, {"alg"}});
    add({"SparseFillEmptyRows"},
        {{"output_indices"}, {"output_values"}, {"empty_row_indicator"}, {"reverse_index_map"}});
    add({"RaggedFillEmptyRows"}, {{"output_value_rowids"},
                                  {"output_values"},
                                  {"empty_row_indicator"},
                                  {"reverse_index_map"}});
    add({"SparseReshape"}, {{"output_indices"}, {"output_shape"}});
    add({"SparseReorder", "SparseSparseMinimum", "SparseSparseMaximum"},
        {{"output_indices"}, {"output_values"}});
    add({"SparseConcat", "SparseSlice", "SparseCross", "SparseCrossV2", "SparseCrossHashed",
         "SparseReduceSumSparse", "SparseReduceMaxSparse"},
        {{"output_indices"}, {"output_values"}, {"output_shape"}});
    add({"SparseSplit"}, {{"output_indices", "num_split"},
                          {"output_values", "num_split"},
                          {"output_shape", "num_split"}});
    add({"SparseAdd"}, {{"sum_indices"}, {"sum_values"}, {"sum_shape"}});
    add({"DeserializeSparse", "DeserializeManySparse"},
        {{"sparse_indices"}, {"sparse_values"}, {"sparse_shape"}});
    add({"DenseToDenseSetOperation", "DenseToSparseSetOperation", "SparseToSparseSetOperation"},
        {{"result_indices"}, {"result_values"}, {"result_shape"}});
    add({"DenseCountSparseOutput", "SparseCountSparseOutput", "RaggedCountSparseOutput"},
        {{"output_indices"}, {"output_values"}, {"output_dense_shape"}});
    add({"StringSplit", "StringSplitV2"}, {{"indices"}, {"values"}, {"shape"}});
    add({"StringNGrams"}, {{"ngrams"}, {"ngrams_splits"}});
    add({"UnicodeDecode"}, {{"row_splits"}, {"char_values"}});
    add({"UnicodeDecodeWithOffsets"}, {{"row_splits"}, {"char_values"}, {"char_to_byte_starts"}});
    add({"RaggedRange"}, {{"rt_nested_splits"}, {"rt_dense_values"}});
    add({"RaggedGather"},
        {{"output_nested_splits", "OUTPUT_RAGGED_RANK"}, {"output_dense_values"}});
    add({"RaggedTensorFromVariant"},
        {{"output_nested_splits", "output_ragged_rank"}, {"output_dense_values"}});
    add({"RaggedTensorToSparse"}, {{"sparse_indices"}, {"sparse_values"}, {"sparse_dense_shape"}});
    add({"RaggedCross"}, {{"output_values"}, {"output_row_splits"}});
    add({"ParseExample"}, {{"sparse_indices", "Nsparse"},
                           {"sparse_values", "sparse_types"},
                           {"sparse_shapes", "Nsparse"},
                           {"dense_values", "Tdense"}});
    add({"ParseSingleExample"}, {{"sparse_indices", "num_sparse"},
                                 {"sparse_values", "sparse_types"},
                                 {"sparse_shapes", "num_sparse"},
                                 {"dense_values", "Tdense"}});
    add({"ParseExampleV2"}, {{"sparse_indices", "num_sparse"},
                             {"sparse_values", "sparse_types"},
                             {"sparse_shapes", "num_sparse"},
                             {"dense_values", "Tdense"},
                             {"ragged_values", "ragged_value_types"},
                             {"ragged_row_splits", "ragged_split_types"}});
    const Names context = {{"context_sparse_indices", "Ncontext_sparse"},
                           {"context_sparse_values", "context_sparse_types"},
                           {"context_sparse_shapes", "Ncontext_sparse"},
                           {"context_dense_values", "Tcontext_dense"}};
    const Names context_ragged = {{"context_ragged_values", "context_ragged_value_types"},
                                  {"context_ragged_row_splits", "context_ragged_split_types"}};
    const Names lists = {{"feature_list_sparse_indices", "Nfeature_list_sparse"},
                         {"feature_list_sparse_values", "feature_list_sparse_types"},
                         {"feature_list_sparse_shapes", "Nfeature_list_sparse"},
                         {"feature_list_dense_values", "feature_list_dense_types"}};
    const Names lengths = {{"feature_list_dense_lengths", "Nfeature_list_dense"}};
    const Names lists_ragged = {
        {"feature_list_ragged_values", "feature_list_ragged_value_types"},
        {"feature_list_ragged_outer_splits", "feature_list_ragged_split_types"},
        {"feature_list_ragged_inner_splits", "feature_list_ragged_split_types"}};
    auto join = [](std::initializer_list<Names> parts) {
      Names all;
      for (const Names& part : parts) all.insert(all.end(), part.begin(), part.end());
      return all;
    };
    add({"ParseSingleSequenceExample"}, join({context, lists}));
    add({"ParseSequenceExample"}, join({context, lists, lengths}));
    add({"ParseSequenceExampleV2"}, join({context, context_ragged, lists, lengths, lists_ragged}));
    return out;
  }();
  auto found = table->find(op);
  return found == table->end() ? nullptr : &found->second;
}

// Returns the number of tensors in a list of outputs.
int64_t ListSize(const tensorflow::NodeDef& node, std::string_view attribute) {
  auto found = node.attr().find(std::string(attribute));
  if (found == node.attr().end()) return 0;
  const auto& value = found->second;
  return value.value_case() == tensorflow::AttrValue::kI ? value.i() : value.list().type_size();
}

bool ParseInt(std::string_view text, int64_t& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value >= 0 &&
         value < (1 << 30);
}

}  // namespace

StatusOr<NodeGraph> NodeGraph::OfGraph(const tensorflow::GraphDef& graph,
                                       const FunctionsByName& functions) {
  NodeGraph out;
  out.nodes_ = &graph.node();
  out.functions_ = &functions;
  SIGNET_RETURN_IF_ERROR(out.AddNames());
  return out;
}

StatusOr<NodeGraph> NodeGraph::OfFunction(const tensorflow::FunctionDef& function,
                                          const FunctionsByName& functions) {
  NodeGraph out;
  out.nodes_ = &function.node_def();
  out.function_ = &function;
  out.functions_ = &functions;
  for (const auto& argument : function.signature().input_arg()) {
    if (!argument.number_attr().empty() || !argument.type_list_attr().empty()) {
      return Unimplemented("function `", Printable(function.signature().name()),
                           "`: unsupported list of arguments `", Printable(argument.name()), "`");
    }
    const auto index = static_cast<int>(out.arguments_.size());
    if (!out.arguments_.emplace(argument.name(), index).second) {
      return InvalidArgument("function `", Printable(function.signature().name()),
                             "`: duplicate argument `", Printable(argument.name()), "`");
    }
  }
  SIGNET_RETURN_IF_ERROR(out.AddNames());
  return out;
}

Status NodeGraph::AddNames() {
  names_.reserve(static_cast<size_t>(nodes_->size()));
  for (int i = 0; i < nodes_->size(); ++i) {
    const std::string& name = nodes_->Get(i).name();
    if (!names_.emplace(name, i).second || arguments_.contains(name)) {
      return InvalidArgument("duplicate node `", Printable(name), "`");
    }
  }
  return absl::OkStatus();
}

int NodeGraph::Lookup(std::string_view name) const {
  auto found = names_.find(absl::string_view(name.data(), name.size()));
  return found == names_.end() ? -1 : found->second;
}

std::string NodeGraph::PlaceOf(int i) const {
  std::string place = Cat("node `", Printable(node(i).name()), "` (", Printable(node(i).op()), ")");
  if (function_ != nullptr) place += Cat(" in `", Printable(function_->signature().name()), "`");
  return place;
}

StatusOr<int> NodeGraph::FlatOutput(const tensorflow::NodeDef& node, std::string_view name,
                                    int64_t index) const {
  auto called = functions_->find(node.op());
  if (called != functions_->end()) {
    const auto& outputs = called->second->signature().output_arg();
    for (int i = 0; i < outputs.size(); ++i) {
      if (outputs[i].name() == name && index == 0) return i;
    }
    return InvalidArgument("function `", Printable(node.op()), "` has no output `",
                           Printable(std::string(name)), ":", index, "`");
  }
  const auto* outputs = LookupOutputs(node.op());
  if (outputs == nullptr) return static_cast<int>(index);
  int64_t before = 0;
  for (const OutputName& output : *outputs) {
    const int64_t size = output.size.empty() ? 1 : ListSize(node, output.size);
    if (output.name == name && index < size) return static_cast<int>(before + index);
    before += size;
  }
  return InvalidArgument("operator `", Printable(node.op()), "` has no output `",
                         Printable(std::string(name)), ":", index, "`");
}

StatusOr<NodeReference> NodeGraph::Resolve(std::string_view reference) const {
  auto not_found = [&] {
    return InvalidArgument("`", Printable(std::string(reference)), "` not found");
  };
  if (reference.starts_with('^')) {
    const int index = Lookup(reference.substr(1));
    if (index >= 0) return NodeReference{NodeReference::Kind::kControl, index, 0};
    // A control input may name an argument, which is always there.
    if (arguments_.contains(std::string(reference.substr(1)))) {
      return NodeReference{NodeReference::Kind::kControl, -1, 0};
    }
    return not_found();
  }
  const size_t colon = reference.find(':');
  const std::string_view name = reference.substr(0, colon);
  if (function_ != nullptr && colon == std::string_view::npos) {
    auto found = arguments_.find(absl::string_view(name.data(), name.size()));
    if (found != arguments_.end()) {
      return NodeReference{NodeReference::Kind::kArgument, found->second, 0};
    }
  }
  const int index = Lookup(name);
  if (index < 0) return not_found();
  if (colon == std::string_view::npos) return NodeReference{NodeReference::Kind::kNode, index, 0};
  std::string_view rest = reference.substr(colon + 1);
  int64_t output = 0;
  if (function_ == nullptr) {
    if (!ParseInt(rest, output)) return not_found();
    return NodeReference{NodeReference::Kind::kNode, index, static_cast<int>(output)};
  }
  const size_t second = rest.find(':');
  if (second != std::string_view::npos && !ParseInt(rest.substr(second + 1), output)) {
    return not_found();
  }
  SIGNET_ASSIGN_OR_RETURN(int flat, FlatOutput(node(index), rest.substr(0, second), output));
  return NodeReference{NodeReference::Kind::kNode, index, flat};
}

StatusOr<std::vector<NodeReference>> NodeGraph::InputsOf(int i) const {
  std::vector<NodeReference> out;
  for (const std::string& input : node(i).input()) {
    if (input.starts_with('^')) continue;
    auto resolved = Resolve(input);
    if (!resolved.ok()) return At(Cat(PlaceOf(i), ": input ", out.size()), resolved.status());
    out.push_back(*resolved);
  }
  return out;
}

StatusOr<std::vector<NodeReference>> NodeGraph::ControlInputsOf(int i) const {
  std::vector<NodeReference> out;
  for (const std::string& input : node(i).input()) {
    if (!input.starts_with('^')) continue;
    auto resolved = Resolve(input);
    if (!resolved.ok()) return At(PlaceOf(i), resolved.status());
    if (resolved->index >= 0) out.push_back(*resolved);
  }
  return out;
}

}  // namespace signet
