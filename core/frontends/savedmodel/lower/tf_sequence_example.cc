// Operators that read tensorflow.SequenceExample messages. The context of a message is encoded like
// an Example.

#include <algorithm>
#include <map>

#include "core/frontends/savedmodel/lower/tf_example.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

// The values of one feature list: rows of steps, which are rows of values.
struct ListRows {
  Expr values;
  Expr step_splits;
  Expr row_splits;
  Expr present;
};

struct DenseList {
  std::string key;
  DType dtype{};
  std::vector<int64_t> shape = {};
  GraphValue may_be_missing = {};  // bool[]
};

struct SequenceForm {
  ExampleForm context = {};  // and the messages
  bool has_lengths = true;
  std::vector<std::string> sparse = {};
  std::vector<DenseList> dense = {};
  std::vector<std::string> ragged = {};
  std::vector<DType> sparse_types = {};
  std::vector<DType> ragged_types = {};
  std::vector<DType> split_types = {};
};

// Returns the largest row length, or 0 if there are no rows.
Expr LongestRow(OpBuilder& build, const Operand& row_splits) {
  Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
  return build.ReduceMax(build.Concat({build.RowLengths(row_splits), zero}, {.axis = 0}));
}

// Returns the indices and the shape of a sparse feature list.
std::pair<Expr, Expr> SparseList(OpBuilder& build, const ListRows& list, const Operand& batch,
                                 bool is_scalar) {
  Expr step = build.SegmentIds(list.step_splits);
  Expr column = build.Sub(build.Range({DimSize(build, list.values, 0)}),
                          build.Gather(list.step_splits, step, {.axis = 0}));
  Expr most_steps = LongestRow(build, list.row_splits);
  Expr most_values = LongestRow(build, list.step_splits);
  if (is_scalar) {
    return {build.Stack({step, column}, {.axis = 1}), build.Stack({most_steps, most_values})};
  }
  Expr row = build.Gather(build.SegmentIds(list.row_splits), step, {.axis = 0});
  Expr step_of_row = build.Sub(step, build.Gather(list.row_splits, row, {.axis = 0}));
  return {build.Stack({row, step_of_row, column}, {.axis = 1}),
          build.Stack({batch, most_steps, most_values})};
}

// Returns dense values [batch, steps] + shape, or [steps] + shape.
StatusOr<GraphValue> DenseListOf(OpBuilder& build, const DenseList& feature, const ListRows& list,
                                 const Operand& batch, bool is_scalar) {
  const std::string where = Cat("feature list `", Printable(feature.key), "`");
  int64_t step = 1;
  for (int64_t size : feature.shape) {
    if (size < 0) return Unimplemented("unsupported shape of ", where);
    if (__builtin_mul_overflow(step, size, &step)) {
      return InvalidArgument("the shape of ", where, " is too large");
    }
  }
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, build.LogicalOr(feature.may_be_missing, build.ReduceAll(list.present)),
      InvalidArgument(where,
                      ": expected it in each row, because a missing list is not assumed to be "
                      "empty")));
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(build.Equal(build.RowLengths(list.step_splits), step)),
                     InvalidArgument(where, ": expected ", step, step == 1 ? " value" : " values",
                                     " in each step")));
  Expr values = list.values;
  std::vector<Operand> dims;
  if (is_scalar) {
    dims = {LongestRow(build, list.row_splits)};
  } else {
    // Each row is filled with zeros.
    values = build.PadRows(values, build.Mul(list.row_splits, Int64Constant(build, step)),
                           Zero(build, feature.dtype));
    dims = {batch, LongestRow(build, list.row_splits)};
  }
  for (int64_t size : feature.shape) dims.push_back(Operand(Int64Constant(build, size)));
  return ReshapeTo(build, values, Operands(dims));
}

// Appends the outputs of feature lists.
Status AppendLists(OpBuilder& build, const SequenceForm& form, std::vector<GraphValue>& out) {
  if (form.sparse.size() != form.sparse_types.size() ||
      form.ragged.size() != form.ragged_types.size() ||
      form.ragged.size() != form.split_types.size()) {
    return InvalidArgument("expected one dtype per feature list");
  }
  FeatureNames read;
  for (size_t i = 0; i < form.sparse.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(read.Add(form.sparse[i], form.sparse_types[i]));
  }
  for (size_t i = 0; i < form.ragged.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(read.Add(form.ragged[i], form.ragged_types[i]));
  }
  for (const DenseList& list : form.dense) {
    SIGNET_RETURN_IF_ERROR(read.Add(list.key, list.dtype));
  }
  if (read.names().empty()) return absl::OkStatus();
  const bool is_scalar = form.context.is_scalar;
  Expr rows = is_scalar ? build.Reshape(form.context.serialized, {.shape = {1}})
                        : build.AsExpr(form.context.serialized);
  SIGNET_ASSIGN_OR_RETURN(auto parsed, build.CallAll(std::string_view("parse_feature_lists"),
                                                     {rows}, read.ToAttributes()));
  std::map<std::string, ListRows> lists;
  for (size_t i = 0; i < read.names().size(); ++i) {
    lists.emplace(read.names()[i],
                  ListRows{build.AsExpr(parsed[4 * i]), build.AsExpr(parsed[4 * i + 1]),
                           build.AsExpr(parsed[4 * i + 2]), build.AsExpr(parsed[4 * i + 3])});
  }
  Expr batch = DimSize(build, rows, 0);
  std::vector<Operand> all;
  std::vector<Operand> shapes;
  for (const std::string& key : form.sparse) {
    auto [indices, shape] = SparseList(build, lists.at(key), batch, is_scalar);
    all.emplace_back(indices);
    shapes.emplace_back(shape);
  }
  for (const std::string& key : form.sparse) all.emplace_back(lists.at(key).values);
  all.insert(all.end(), shapes.begin(), shapes.end());
  for (const DenseList& list : form.dense) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue dense,
                            DenseListOf(build, list, lists.at(list.key), batch, is_scalar));
    all.emplace_back(std::move(dense));
  }
  for (size_t i = 0; form.has_lengths && i < form.dense.size(); ++i) {
    Expr lengths = build.RowLengths(lists.at(form.dense[i].key).row_splits);
    all.emplace_back(is_scalar ? AsScalar(build, lengths) : lengths);
  }
  for (const std::string& key : form.ragged) all.emplace_back(lists.at(key).values);
  for (size_t i = 0; i < form.ragged.size(); ++i) {
    all.emplace_back(CastTo(build, lists.at(form.ragged[i]).row_splits, form.split_types[i]));
  }
  for (size_t i = 0; i < form.ragged.size(); ++i) {
    all.emplace_back(CastTo(build, lists.at(form.ragged[i]).step_splits, form.split_types[i]));
  }
  for (const Operand& value : all) {
    SIGNET_RETURN_IF_ERROR(value.value().status());
    out.push_back(*value.value());
  }
  return absl::OkStatus();
}

TfOutputs ReadSequences(OpBuilder& build, SequenceForm& form) {
  SIGNET_RETURN_IF_ERROR(TensorAt({&form.context.serialized, 1}, 0).status());
  std::vector<GraphValue> out;
  form.context.has_scalar_splits = true;
  const bool has_context =
      !form.context.sparse.empty() || !form.context.dense.empty() || !form.context.ragged.empty();
  if (has_context) {
    SIGNET_ASSIGN_OR_RETURN(out, ReadExamples(build, form.context));
  }
  SIGNET_RETURN_IF_ERROR(AppendLists(build, form, out));
  if (out.empty()) return InvalidArgument("expected at least one feature");
  return out;
}

// Adds dense feature lists. A list whose key is in `missing` may be missing.
Status AddDenseLists(OpBuilder& build, const OpCall& call, const std::vector<std::string>& keys,
                     const std::vector<std::string>& missing, SequenceForm& form) {
  SIGNET_ASSIGN_OR_RETURN(auto dtypes, FeatureDTypes(call, "feature_list_dense_types"));
  SIGNET_ASSIGN_OR_RETURN(auto shapes, FeatureShapes(call, "feature_list_dense_shapes"));
  if (keys.size() != dtypes.size() || keys.size() != shapes.size()) {
    return InvalidArgument("expected one dtype and one shape per dense feature list");
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    const bool may_be_missing = std::find(missing.begin(), missing.end(), keys[i]) != missing.end();
    form.dense.push_back(
        {keys[i], dtypes[i], shapes[i], build.Constant(Tensor::Scalar(may_be_missing))});
  }
  return absl::OkStatus();
}

// Reads the dtypes that all versions have.
Status ReadDTypes(const OpCall& call, SequenceForm& form) {
  SIGNET_ASSIGN_OR_RETURN(form.context.sparse_types, FeatureDTypes(call, "context_sparse_types"));
  SIGNET_ASSIGN_OR_RETURN(form.sparse_types, FeatureDTypes(call, "feature_list_sparse_types"));
  return absl::OkStatus();
}

TfOutputs ExpandParseSequenceExample(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() < 2) return InvalidArgument("expected at least 2 inputs, found ", in.size());
  SequenceForm form;
  form.context.serialized = in[0];
  const Attributes& attributes = call.attributes;
  SIGNET_ASSIGN_OR_RETURN(auto missing,
                          attributes.Strings("feature_list_dense_missing_assumed_empty"));
  SIGNET_ASSIGN_OR_RETURN(form.context.sparse, attributes.Strings("context_sparse_keys"));
  SIGNET_ASSIGN_OR_RETURN(auto context_keys, attributes.Strings("context_dense_keys"));
  SIGNET_ASSIGN_OR_RETURN(form.sparse, attributes.Strings("feature_list_sparse_keys"));
  SIGNET_ASSIGN_OR_RETURN(auto list_keys, attributes.Strings("feature_list_dense_keys"));
  SIGNET_RETURN_IF_ERROR(ReadDTypes(call, form));
  SIGNET_RETURN_IF_ERROR(AddDenseFeatures(call, "Tcontext_dense", "context_dense_shapes",
                                          context_keys, in.subspan(2), form.context));
  SIGNET_RETURN_IF_ERROR(AddDenseLists(build, call, list_keys, missing, form));
  return ReadSequences(build, form);
}

TfOutputs ExpandParseSequenceExampleV2(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() < 9) return InvalidArgument("expected at least 9 inputs, found ", in.size());
  SequenceForm form;
  form.context.serialized = in[0];
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
  form.context.is_scalar = rank == 0;
  SIGNET_ASSIGN_OR_RETURN(form.context.sparse, FindTexts(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(auto context_keys, FindTexts(build, call, in, 3));
  SIGNET_ASSIGN_OR_RETURN(form.context.ragged, FindTexts(build, call, in, 4));
  SIGNET_ASSIGN_OR_RETURN(form.sparse, FindTexts(build, call, in, 5));
  SIGNET_ASSIGN_OR_RETURN(auto list_keys, FindTexts(build, call, in, 6));
  SIGNET_ASSIGN_OR_RETURN(form.ragged, FindTexts(build, call, in, 7));
  SIGNET_RETURN_IF_ERROR(ReadDTypes(call, form));
  SIGNET_ASSIGN_OR_RETURN(form.context.ragged_types,
                          FeatureDTypes(call, "context_ragged_value_types"));
  SIGNET_ASSIGN_OR_RETURN(form.context.split_types,
                          FeatureDTypes(call, "context_ragged_split_types"));
  SIGNET_ASSIGN_OR_RETURN(form.ragged_types,
                          FeatureDTypes(call, "feature_list_ragged_value_types"));
  SIGNET_ASSIGN_OR_RETURN(form.split_types, FeatureDTypes(call, "feature_list_ragged_split_types"));
  SIGNET_RETURN_IF_ERROR(AddDenseFeatures(call, "Tcontext_dense", "context_dense_shapes",
                                          context_keys, in.subspan(9), form.context));
  SIGNET_RETURN_IF_ERROR(AddDenseLists(build, call, list_keys, {}, form));
  SIGNET_RETURN_IF_ERROR(TensorAt(in, 8).status());
  if (!form.dense.empty()) {
    if (DTypeAt(in, 8) != DType::kBool) {
      return InvalidArgument("input 8: expected `bool`, found `", in[8].spec, "`");
    }
    const auto count = static_cast<int64_t>(form.dense.size());
    Expr missing = build.Reshape(in[8], {.shape = {count}});
    for (int64_t i = 0; i < count; ++i) {
      SIGNET_ASSIGN_OR_RETURN(form.dense[static_cast<size_t>(i)].may_be_missing,
                              build.Gather(missing, Int64Constant(build, i), {.axis = 0}));
    }
  }
  return ReadSequences(build, form);
}

TfOutputs ExpandParseSingleSequenceExample(OpBuilder& build, const OpCall& call, TfInputs in) {
  constexpr int64_t kMost = 4096;
  int64_t counts[4];
  int64_t num_inputs = 3;
  const char* names[] = {"Ncontext_sparse", "Ncontext_dense", "Nfeature_list_sparse",
                         "Nfeature_list_dense"};
  for (size_t i = 0; i < 4; ++i) {
    SIGNET_ASSIGN_OR_RETURN(counts[i], call.attributes.Int(names[i]));
    if (counts[i] < 0 || counts[i] > kMost) {
      return InvalidArgument("`", names[i], "`: expected 0 to ", kMost, ", found ", counts[i]);
    }
    num_inputs += i == 1 ? 2 * counts[i] : counts[i];
  }
  if (static_cast<int64_t>(in.size()) != num_inputs) {
    return InvalidArgument("expected ", num_inputs, " inputs, found ", in.size());
  }
  SequenceForm form;
  form.context.serialized = in[0];
  form.context.is_scalar = true;
  form.has_lengths = false;
  SIGNET_ASSIGN_OR_RETURN(auto missing, FindTexts(build, call, in, 1));
  std::vector<std::string> keys[4];
  size_t next = 2;
  for (size_t i = 0; i < 4; ++i) {
    for (int64_t k = 0; k < counts[i]; ++k) {
      SIGNET_ASSIGN_OR_RETURN(keys[i].emplace_back(), FindText(build, call, in, next++));
    }
  }
  form.context.sparse = keys[0];
  form.sparse = keys[2];
  SIGNET_RETURN_IF_ERROR(ReadDTypes(call, form));
  SIGNET_RETURN_IF_ERROR(AddDenseFeatures(call, "Tcontext_dense", "context_dense_shapes", keys[1],
                                          in.subspan(next, keys[1].size()), form.context));
  SIGNET_RETURN_IF_ERROR(AddDenseLists(build, call, keys[3], missing, form));
  return ReadSequences(build, form);
}

}  // namespace

std::vector<OpDef> TfSequenceExampleOps() {
  const TypeSpec none = ListType({});
  std::vector<AttributeDef> common = {
      {"context_sparse_types", none},     {"Tcontext_dense", none},
      {"context_dense_shapes", none},     {"feature_list_sparse_types", none},
      {"feature_list_dense_types", none}, {"feature_list_dense_shapes", none},
  };
  auto with = [&](std::vector<AttributeDef> more) {
    more.insert(more.end(), common.begin(), common.end());
    return more;
  };
  constexpr char kSummary[] = "Reads features of serialized sequence examples";
  return {
      TfOp("ParseSequenceExample", kSummary, {"inputs..."},
           with({{"feature_list_dense_missing_assumed_empty", none},
                 {"context_sparse_keys", none},
                 {"context_dense_keys", none},
                 {"feature_list_sparse_keys", none},
                 {"feature_list_dense_keys", none}}),
           ExpandParseSequenceExample),
      TfOp("ParseSequenceExampleV2", kSummary, {"inputs..."},
           with({{"context_ragged_value_types", none},
                 {"context_ragged_split_types", none},
                 {"feature_list_ragged_value_types", none},
                 {"feature_list_ragged_split_types", none}}),
           ExpandParseSequenceExampleV2),
      TfOp("ParseSingleSequenceExample", "Reads features of a serialized sequence example",
           {"inputs..."},
           with({{"Ncontext_sparse", AttributeOf(0)},
                 {"Ncontext_dense", AttributeOf(0)},
                 {"Nfeature_list_sparse", AttributeOf(0)},
                 {"Nfeature_list_dense", AttributeOf(0)}}),
           ExpandParseSingleSequenceExample),
  };
}

}  // namespace signet
