// Operators that read tensorflow.Example messages.

#include "core/frontends/savedmodel/lower/tf_example.h"

#include <algorithm>

#include "core/frontends/savedmodel/lower/record_fields.h"
#include "core/ops/def/attribute_list.h"
#include "signet/literal_spec.h"

namespace signet {
namespace {

// The values of one feature as rows.
struct FeatureRows {
  Expr values;
  Expr splits;
  Expr present;
};

// Reads a feature from the column of records that have a field for it. A row without values has the
// default value.
StatusOr<FeatureRows> RowsOfColumn(OpBuilder& build, const GraphValue& records,
                                   const std::string& field, DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column, FieldValue(records, field));
  auto check = [&](DType found) -> Status {
    if (found == dtype) return absl::OkStatus();
    return InvalidArgument("field `", field, "`: expected `", NameOf(dtype), "`, found `",
                           column.spec, "`");
  };
  if (const auto* ragged = column.spec.As<RaggedSpec>();
      ragged != nullptr && ragged->ragged_rank() == 1) {
    SIGNET_RETURN_IF_ERROR(check(ragged->dtype()));
    const RaggedParts parts = RaggedPartsOf(column);
    SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(Operand(parts.values)));
    Expr step =
        rank > 1 ? DimProduct(build, parts.values, 1, rank) : build.AsExpr(Int64Constant(build, 1));
    Expr splits = build.Mul(AsInt64(build, parts.splits[0]), step);
    return FeatureRows{build.Reshape(parts.values, {.shape = {-1}}), splits,
                       build.Greater(build.RowLengths(splits), 0)};
  }
  const auto* tensor = column.spec.As<TensorSpec>();
  if (tensor == nullptr || !tensor->shape().has_rank() || tensor->shape().rank() < 1) {
    return InvalidArgument("field `", field, "`: expected a tensor or rows of them, found `",
                           column.spec, "`");
  }
  SIGNET_RETURN_IF_ERROR(check(tensor->dtype()));
  Expr batch = DimSize(build, column, 0);
  Expr step = tensor->shape().rank() > 1 ? DimProduct(build, column, 1, tensor->shape().rank())
                                         : build.AsExpr(Int64Constant(build, 1));
  Expr splits = build.Mul(build.Range({build.Add(batch, 1)}), step);
  Expr yes = build.AsExpr(build.Constant(Tensor::Scalar(true)));
  return FeatureRows{build.Reshape(column, {.shape = {-1}}), splits,
                     build.BroadcastTo(yes, build.Reshape(batch, {.shape = {1}}))};
}

// Returns dense values [batch] + shape.
StatusOr<GraphValue> DenseOf(OpBuilder& build, const DenseFeature& feature, const FeatureRows& rows,
                             const Operand& batch) {
  Expr lengths = build.RowLengths(rows.splits);
  const bool is_open = !feature.shape.empty() && feature.shape[0] < 0;
  int64_t step = 1;
  for (size_t i = is_open ? 1 : 0; i < feature.shape.size(); ++i) {
    if (feature.shape[i] < 0)
      return Unimplemented("unsupported shape of feature `", feature.key, "`");
    if (__builtin_mul_overflow(step, feature.shape[i], &step)) {
      return InvalidArgument("the shape of feature `", feature.key, "` is too large");
    }
  }
  if (is_open) {
    Expr chunk = build.AsExpr(Int64Constant(build, std::max<int64_t>(step, 1)));
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build, build.ReduceAll(build.Equal(build.Mod(lengths, chunk), 0)),
        InvalidArgument("feature `", feature.key, "`: expected a multiple of ", step, " values")));
    Expr padded = build.PadRows(rows.values, rows.splits, AsScalar(build, feature.default_value));
    std::vector<Operand> dims = {batch, build.Floordiv(DimSize(build, padded, 1), chunk)};
    for (size_t i = 1; i < feature.shape.size(); ++i) {
      dims.push_back(Operand(Int64Constant(build, feature.shape[i])));
    }
    return ReshapeTo(build, padded, Operands(dims));
  }
  Expr fits = build.LogicalOr(build.LogicalNot(rows.present), build.Equal(lengths, step));
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.ReduceAll(fits),
                     InvalidArgument("feature `", feature.key, "`: expected ", step,
                                     step == 1 ? " value" : " values", " in each row")));
  Expr default_values = build.Reshape(feature.default_value, {.shape = {-1}});
  const int64_t num_defaults = KnownSize(default_values, 0);
  if (num_defaults != step) {
    SIGNET_RETURN_IF_ERROR(CheckCondition(
        build,
        build.LogicalOr(build.Equal(DimSize(build, default_values, 0), Int64Constant(build, step)),
                        build.ReduceAll(rows.present)),
        InvalidArgument("feature `", feature.key,
                        "`: expected it in each row, because it has no default value")));
  }
  // Each row reads its values, or the default values, which follow all values.
  Expr total = DimSize(build, rows.values, 0);
  Expr all = build.Concat({rows.values, default_values}, {.axis = 0});
  Expr starts = build.Slice(rows.splits, {.starts = {0}, .limits = {-1}, .axes = {0}});
  Expr first = build.Select(rows.present, starts, total);
  Expr places =
      build.Add(build.ExpandDims(first, {.axis = 1}), build.Range({Int64Constant(build, step)}));
  std::vector<Operand> dims = {batch};
  for (int64_t size : feature.shape) dims.push_back(Operand(Int64Constant(build, size)));
  return ReshapeTo(build, build.Gather(all, places, {.axis = 0}), Operands(dims));
}

}  // namespace

StatusOr<std::vector<DType>> FeatureDTypes(const OpCall& call, std::string_view name) {
  SIGNET_ASSIGN_OR_RETURN(auto names, call.attributes.Strings(name));
  std::vector<DType> out;
  for (const std::string& text : names) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(),
                            Attributes({{"dtype", AttributeOf(text)}}).DTypeNamed("dtype"));
  }
  return out;
}

StatusOr<std::vector<std::vector<int64_t>>> FeatureShapes(const OpCall& call,
                                                          std::string_view name) {
  std::vector<std::vector<int64_t>> out;
  const TypeSpec list = call.attributes.Lookup(name);
  for (const TypeSpec& item : list.children()) {
    Attributes one({{"shape", item}});
    if (IsNone(one, "shape")) return Unimplemented("unsupported dense feature of unknown rank");
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), one.Ints("shape"));
  }
  return out;
}

Status FeatureNames::Add(const std::string& key, DType dtype) {
  const auto [found, is_new] = indices_.emplace(key, names_.size());
  if (!is_new) {
    return dtypes_[found->second] == NameOf(dtype)
               ? absl::OkStatus()
               : Unimplemented("unsupported feature `", Printable(key), "` of two dtypes");
  }
  names_.push_back(key);
  dtypes_.emplace_back(NameOf(dtype));
  return absl::OkStatus();
}

Attributes FeatureNames::ToAttributes() const {
  return Attributes({{"features", AttributeListOf(names_)}, {"dtypes", AttributeListOf(dtypes_)}});
}

TfOutputs ReadExamples(OpBuilder& build, const ExampleForm& form) {
  FeatureNames read;
  if (form.sparse.size() != form.sparse_types.size() ||
      form.ragged.size() != form.ragged_types.size() ||
      form.ragged.size() != form.split_types.size()) {
    return InvalidArgument("expected one dtype per feature");
  }
  for (size_t i = 0; i < form.sparse.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(read.Add(form.sparse[i], form.sparse_types[i]));
  }
  for (size_t i = 0; i < form.ragged.size(); ++i) {
    SIGNET_RETURN_IF_ERROR(read.Add(form.ragged[i], form.ragged_types[i]));
  }
  for (const DenseFeature& feature : form.dense) {
    SIGNET_RETURN_IF_ERROR(read.Add(feature.key, feature.dtype));
  }
  const std::vector<std::string>& names = read.names();
  std::map<std::string, FeatureRows> features;
  Operand batch;
  if (form.serialized.spec.is(TypeKind::kStructured)) {
    const auto fields = RecordFieldNames({names.begin(), names.end()});
    for (size_t i = 0; i < names.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(
          DType dtype, Attributes({{"dtype", AttributeOf(read.dtypes()[i])}}).DTypeNamed("dtype"));
      SIGNET_ASSIGN_OR_RETURN(FeatureRows feature,
                              RowsOfColumn(build, form.serialized, fields.at(names[i]), dtype));
      features.emplace(names[i], std::move(feature));
    }
    if (features.empty()) return InvalidArgument("expected records with at least one field");
    batch = build.NumRows(features.begin()->second.splits);
  } else {
    SIGNET_RETURN_IF_ERROR(TensorAt({&form.serialized, 1}, 0).status());
    Expr rows = form.is_scalar ? build.Reshape(form.serialized, {.shape = {1}})
                               : build.AsExpr(form.serialized);
    SIGNET_ASSIGN_OR_RETURN(auto parsed, build.CallAll(std::string_view("parse_examples"), {rows},
                                                       read.ToAttributes()));
    batch = DimSize(build, rows, 0);
    for (size_t i = 0; i < names.size(); ++i) {
      features.emplace(names[i],
                       FeatureRows{build.AsExpr(parsed[3 * i]), build.AsExpr(parsed[3 * i + 1]),
                                   build.AsExpr(parsed[3 * i + 2])});
    }
  }
  auto rows_of = [&](const std::string& key) -> const FeatureRows& { return features.at(key); };
  std::vector<Operand> sparse_indices;
  std::vector<Operand> sparse_values;
  std::vector<Operand> sparse_shapes;
  for (const std::string& key : form.sparse) {
    const FeatureRows& feature = rows_of(key);
    Expr row = build.SegmentIds(feature.splits);
    Expr count = DimSize(build, feature.values, 0);
    Expr column = build.Sub(build.Range({count}), build.Gather(feature.splits, row, {.axis = 0}));
    Expr zero = build.AsExpr(Ints(build, std::vector<int64_t>{0}));
    Expr longest =
        build.ReduceMax(build.Concat({build.RowLengths(feature.splits), zero}, {.axis = 0}));
    sparse_values.push_back(feature.values);
    if (form.is_scalar) {
      sparse_indices.push_back(build.ExpandDims(column, {.axis = 1}));
      sparse_shapes.push_back(build.Reshape(longest, {.shape = {1}}));
    } else {
      sparse_indices.push_back(build.Stack({row, column}, {.axis = 1}));
      sparse_shapes.push_back(build.Stack({batch, longest}));
    }
  }
  std::vector<GraphValue> out;
  for (const auto* list : {&sparse_indices, &sparse_values, &sparse_shapes}) {
    for (const Operand& part : *list) {
      SIGNET_RETURN_IF_ERROR(part.value().status());
      out.push_back(*part.value());
    }
  }
  for (const DenseFeature& feature : form.dense) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue dense, DenseOf(build, feature, rows_of(feature.key), batch));
    if (form.is_scalar) {
      SIGNET_ASSIGN_OR_RETURN(dense, build.Squeeze(dense, {.axes = {0}}));
    }
    out.push_back(std::move(dense));
  }
  const bool has_splits = !form.is_scalar || form.has_scalar_splits;
  for (const std::string& key : form.ragged) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), rows_of(key).values);
  }
  for (size_t i = 0; i < form.ragged.size() && has_splits; ++i) {
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(),
                            CastTo(build, rows_of(form.ragged[i]).splits, form.split_types[i]));
  }
  return out;
}

Status AddDenseFeatures(const OpCall& call, std::string_view dtypes_name,
                        std::string_view shapes_name, const std::vector<std::string>& keys,
                        TfInputs defaults, ExampleForm& form) {
  SIGNET_ASSIGN_OR_RETURN(auto dtypes, FeatureDTypes(call, dtypes_name));
  SIGNET_ASSIGN_OR_RETURN(auto shapes, FeatureShapes(call, shapes_name));
  if (keys.size() != dtypes.size() || keys.size() != shapes.size() ||
      keys.size() != defaults.size()) {
    return InvalidArgument("expected one dtype, shape, and default value per dense feature");
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    form.dense.push_back({keys[i], dtypes[i], shapes[i], defaults[i]});
  }
  return absl::OkStatus();
}

namespace {

TfOutputs ExpandParseExample(OpBuilder& build, const OpCall& call, TfInputs in) {
  ExampleForm form;
  SIGNET_ASSIGN_OR_RETURN(int64_t sparse, call.attributes.Int("Nsparse"));
  SIGNET_ASSIGN_OR_RETURN(int64_t dense, call.attributes.Int("Ndense"));
  constexpr int64_t kMost = 4096;
  if (sparse < 0 || dense < 0 || sparse > kMost || dense > kMost) {
    return InvalidArgument("expected at most ", kMost, " features, found ", sparse, " sparse and ",
                           dense, " dense ones");
  }
  if (in.size() != 2 + static_cast<size_t>(sparse + 2 * dense)) {
    return InvalidArgument("expected ", 2 + sparse + 2 * dense, " inputs, found ", in.size());
  }
  form.serialized = in[0];
  size_t next = 2;
  for (int64_t i = 0; i < sparse; ++i) {
    SIGNET_ASSIGN_OR_RETURN(form.sparse.emplace_back(), FindText(build, call, in, next++));
  }
  std::vector<std::string> keys;
  for (int64_t i = 0; i < dense; ++i) {
    SIGNET_ASSIGN_OR_RETURN(keys.emplace_back(), FindText(build, call, in, next++));
  }
  SIGNET_ASSIGN_OR_RETURN(form.sparse_types, FeatureDTypes(call, "sparse_types"));
  SIGNET_RETURN_IF_ERROR(
      AddDenseFeatures(call, "Tdense", "dense_shapes", keys, in.subspan(next), form));
  return ReadExamples(build, form);
}

TfOutputs ExpandParseExampleV2(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() < 5) return InvalidArgument("expected at least 5 inputs, found ", in.size());
  ExampleForm form;
  form.serialized = in[0];
  if (in[0].spec.is(TypeKind::kTensor)) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(in, 0));
    form.is_scalar = rank == 0;
  }
  SIGNET_ASSIGN_OR_RETURN(form.sparse, FindTexts(build, call, in, 2));
  SIGNET_ASSIGN_OR_RETURN(auto keys, FindTexts(build, call, in, 3));
  SIGNET_ASSIGN_OR_RETURN(form.ragged, FindTexts(build, call, in, 4));
  SIGNET_ASSIGN_OR_RETURN(form.sparse_types, FeatureDTypes(call, "sparse_types"));
  SIGNET_ASSIGN_OR_RETURN(form.ragged_types, FeatureDTypes(call, "ragged_value_types"));
  SIGNET_ASSIGN_OR_RETURN(form.split_types, FeatureDTypes(call, "ragged_split_types"));
  SIGNET_RETURN_IF_ERROR(
      AddDenseFeatures(call, "Tdense", "dense_shapes", keys, in.subspan(5), form));
  return ReadExamples(build, form);
}

TfOutputs ExpandParseSingleExample(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.empty()) return InvalidArgument("missing input 0");
  ExampleForm form;
  form.serialized = in[0];
  form.is_scalar = true;
  SIGNET_ASSIGN_OR_RETURN(form.sparse, call.attributes.Strings("sparse_keys"));
  SIGNET_ASSIGN_OR_RETURN(auto keys, call.attributes.Strings("dense_keys"));
  SIGNET_ASSIGN_OR_RETURN(form.sparse_types, FeatureDTypes(call, "sparse_types"));
  SIGNET_RETURN_IF_ERROR(
      AddDenseFeatures(call, "Tdense", "dense_shapes", keys, in.subspan(1), form));
  return ReadExamples(build, form);
}

}  // namespace

std::vector<OpDef> TfExampleOps() {
  const TypeSpec none = ListType({});
  return {
      TfOpOnValues("ParseExample", "Reads features of serialized examples", {"inputs..."},
                   {{"Nsparse", AttributeOf(0)},
                    {"Ndense", AttributeOf(0)},
                    {"sparse_types", none},
                    {"Tdense", none},
                    {"dense_shapes", none}},
                   ExpandParseExample),
      TfOpOnValues("ParseExampleV2", "Reads features of serialized examples", {"inputs..."},
                   {{"sparse_types", none},
                    {"Tdense", none},
                    {"dense_shapes", none},
                    {"ragged_value_types", none},
                    {"ragged_split_types", none}},
                   ExpandParseExampleV2),
      TfOpOnValues("ParseSingleExample", "Reads features of a serialized example", {"inputs..."},
                   {{"sparse_keys", none},
                    {"dense_keys", none},
                    {"sparse_types", none},
                    {"Tdense", none},
                    {"dense_shapes", none}},
                   ExpandParseSingleExample),
  };
}

}  // namespace signet
