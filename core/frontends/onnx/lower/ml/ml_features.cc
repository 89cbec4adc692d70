// Operators of ai.onnx.ml that compute features from the inputs of a model.

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/frontends/onnx/lower/ml/ml_inputs.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

DType DTypeOfTensor(const GraphValue& x) { return x.spec.As<TensorSpec>()->dtype(); }

// Returns the size of the last dimension of `x`, if it is known.
int64_t LastDim(const GraphValue& x) {
  const PartialShape& shape = *x.spec.shape();
  if (!shape.has_rank() || shape.rank() == 0) return kUnknownDim;
  return shape.dim(shape.rank() - 1);
}

StatusOr<Values> ExpandScaler(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* tensor, TensorAt(inputs, 0));
  // Integers are cast to float32. Results of float64 are rounded at the end.
  DType dtype = tensor->dtype() == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(auto offset, lists.Numbers("offset"));
  SIGNET_ASSIGN_OR_RETURN(auto scale, lists.Numbers("scale"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue x, CastTo(build, inputs[0], dtype));
  if (std::any_of(offset.begin(), offset.end(), [](double number) { return number != 0; })) {
    SIGNET_ASSIGN_OR_RETURN(x, build.Sub(x, NumbersConstant(build, dtype, offset)));
  }
  if (std::any_of(scale.begin(), scale.end(), [](double number) { return number != 1; })) {
    SIGNET_ASSIGN_OR_RETURN(x, build.Mul(x, NumbersConstant(build, dtype, scale)));
  }
  return OneOutput(CastTo(build, x, DType::kFloat32));
}

StatusOr<Values> ExpandNormalizer(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, Float32Rows(build, inputs));
  SIGNET_ASSIGN_OR_RETURN(std::string norm, call.attributes.String("norm"));
  if (norm != "MAX" && norm != "L1" && norm != "L2") {
    return InvalidArgument("norm: expected MAX, L1, or L2, found `", Printable(norm), "`");
  }
  const char* name = norm == "MAX" ? "max" : norm == "L1" ? "l1" : "l2";
  SIGNET_ASSIGN_OR_RETURN(rows, build.NormalizeRows(rows, {.norm = name}));
  if (inputs[0].spec.shape()->rank() == 2) return Values{rows};
  return OneOutput(build.Squeeze(rows, {.axes = 0}));
}

StatusOr<Values> ExpandImputer(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  ListInputs lists(build, call, inputs);
  DType dtype = x->dtype();
  bool of_floats = dtype == DType::kFloat32 || dtype == DType::kFloat64;
  std::vector<double> imputed;
  double replaced = 0;
  if (of_floats) {
    SIGNET_ASSIGN_OR_RETURN(imputed, lists.Numbers("imputed_value_floats"));
    SIGNET_ASSIGN_OR_RETURN(replaced, call.attributes.Float("replaced_value_float"));
  } else {
    SIGNET_ASSIGN_OR_RETURN(auto integers, lists.Ints("imputed_value_int64s"));
    SIGNET_ASSIGN_OR_RETURN(int64_t integer, call.attributes.Int("replaced_value_int64"));
    imputed.assign(integers.begin(), integers.end());
    replaced = static_cast<double>(integer);
  }
  if (imputed.empty()) {
    return InvalidArgument("missing ", of_floats ? "imputed_value_floats" : "imputed_value_int64s",
                           " for input 0, `", inputs[0].spec, "`");
  }
  int64_t columns = LastDim(inputs[0]);
  if (columns != kUnknownDim && columns != static_cast<int64_t>(imputed.size())) imputed.resize(1);
  GraphValue fill;
  if (of_floats) {
    fill = NumbersConstant(build, dtype, imputed);
  } else {
    std::vector<int64_t> integers(imputed.begin(), imputed.end());
    fill = VectorConstant<int64_t>(build, integers);
    SIGNET_ASSIGN_OR_RETURN(fill, CastTo(build, fill, dtype));
  }
  GraphValue missing;
  if (std::isnan(replaced)) {
    SIGNET_ASSIGN_OR_RETURN(missing, build.IsNan(inputs[0]));
  } else {
    SIGNET_ASSIGN_OR_RETURN(missing,
                            build.Equal(inputs[0], NumberConstant(build, dtype, replaced)));
  }
  return OneOutput(build.Select(missing, fill, inputs[0]));
}

StatusOr<Values> ExpandBinarizer(OpBuilder& build, const OpCall& call,
                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(double threshold, call.attributes.Float("threshold"));
  GraphValue from = inputs[0];
  // An integer is compared with the threshold, which need not be an integer.
  if (x->dtype() != DType::kFloat32) {
    SIGNET_ASSIGN_OR_RETURN(from, CastTo(build, from, DType::kFloat64));
  }
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue above, build.Greater(from, NumberConstant(build, DTypeOfTensor(from), threshold)));
  return OneOutput(CastTo(build, above, x->dtype()));
}

StatusOr<Values> ExpandOneHotEncoder(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  ListInputs lists(build, call, inputs);
  GraphValue keys = inputs[0];
  const char* name = "cats_strings";
  if (x->dtype() != DType::kString) {
    name = "cats_int64s";
    SIGNET_ASSIGN_OR_RETURN(keys, CastTo(build, keys, DType::kInt64));
  }
  SIGNET_ASSIGN_OR_RETURN(const Tensor* categories, lists.Known(name));
  if (categories == nullptr) {
    return InvalidArgument("missing ", name, " for input 0, `", inputs[0].spec, "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t zeros, call.attributes.Int("zeros"));
  SIGNET_ASSIGN_OR_RETURN(GraphValue index, build.Lookup(keys, lists.Get(name)));
  if (zeros == 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue known,
                            build.GreaterEqual(index, NumberConstant(build, DType::kInt64, 0)));
    SIGNET_ASSIGN_OR_RETURN(known, build.ReduceAll(known));
    SIGNET_RETURN_IF_ERROR(
        build.CheckTrue(known, {.message = "expected elements that are among the categories"})
            .status());
  }
  return OneOutput(build.OneHot(index, {.depth = categories->num_elements()}));
}

// --- tables -------------------------------------------------------------------------------------

constexpr std::string_view kMissingText = "_Unused";

// Looks up input 0 in a table. Keys of narrower integers are cast to int64.
StatusOr<Values> ByTable(OpBuilder& build, const GraphValue& x, GraphValue keys,
                         const GraphValue& values, const GraphValue& missing) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* tensor, TensorAt({&x, 1}, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt({&keys, 1}, 0).status());
  SIGNET_RETURN_IF_ERROR(TensorAt({&values, 1}, 0).status());
  DType dtype = DTypeOfTensor(keys);
  if (tensor->dtype() != dtype) {
    return InvalidArgument("input 0: expected the dtype of the keys, `", keys.spec, "`, found `",
                           x.spec, "`");
  }
  GraphValue from = x;
  if (dtype == DType::kInt16) {
    SIGNET_ASSIGN_OR_RETURN(from, CastTo(build, from, DType::kInt64));
    SIGNET_ASSIGN_OR_RETURN(keys, CastTo(build, keys, DType::kInt64));
  }
  return OneOutput(build.LookupValue(from, keys, values, missing));
}

// Version 1: maps strings to their indices, or indices to strings.
StatusOr<Values> ByPlace(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs,
                         const GraphValue& classes) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt({&classes, 1}, 0).status());
  if (x->dtype() == DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(int64_t missing, call.attributes.Int("default_int64"));
    return OneOutput(build.Lookup(inputs[0], classes, {.default_ = missing}));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string text, call.attributes.String("default_string"));
  GraphValue missing = TextConstant(build, text);
  std::vector<int64_t> places(static_cast<size_t>(std::max<int64_t>(LastDim(classes), 0)));
  for (size_t i = 0; i < places.size(); ++i) places[i] = static_cast<int64_t>(i);
  return ByTable(build, inputs[0], VectorConstant<int64_t>(build, places), classes, missing);
}

// Returns the tensor of a table as a vector.
StatusOr<GraphValue> AsVector(OpBuilder& build, const GraphValue& x) {
  if (x.spec.shape()->has_rank() && x.spec.shape()->rank() == 1) return x;
  return build.Reshape(x, {.shape = -1});
}

StatusOr<Values> ExpandLabelEncoder(OpBuilder& build, const OpCall& call,
                                    std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  if (lists.Has("classes_strings")) {
    return ByPlace(build, call, inputs, lists.Get("classes_strings"));
  }
  GraphValue table[2];
  constexpr std::string_view kParts[] = {"keys", "values"};
  for (size_t i : {size_t{0}, size_t{1}}) {
    for (const char* type : {"tensor", "strings", "int64s", "floats"}) {
      std::string name = Cat(kParts[i], "_", type);
      if (!table[i].spec && lists.Has(name)) table[i] = lists.Get(name);
    }
    if (!table[i].spec) return InvalidArgument("missing list ", kParts[i]);
    SIGNET_RETURN_IF_ERROR(TensorAt({&table[i], 1}, 0).status());
    SIGNET_ASSIGN_OR_RETURN(table[i], AsVector(build, table[i]));
  }
  DType dtype = DTypeOfTensor(table[1]);
  GraphValue missing = lists.Get("default_tensor");
  if (missing.spec) {
    SIGNET_ASSIGN_OR_RETURN(missing, build.Reshape(missing, {.shape = {}}));
  } else if (dtype == DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(std::string text, call.attributes.String("default_string"));
    missing = TextConstant(build, text);
  } else if (dtype == DType::kFloat32 || dtype == DType::kFloat64) {
    SIGNET_ASSIGN_OR_RETURN(double number, call.attributes.Float("default_float"));
    missing = NumberConstant(build, dtype, number);
  } else {
    SIGNET_ASSIGN_OR_RETURN(int64_t integer, call.attributes.Int("default_int64"));
    SIGNET_ASSIGN_OR_RETURN(missing, CastTo(build, build.Constant(Tensor::Scalar(integer)), dtype));
  }
  return ByTable(build, inputs[0], table[0], table[1], missing);
}

StatusOr<Values> ExpandCategoryMapper(OpBuilder& build, const OpCall& call,
                                      std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  ListInputs lists(build, call, inputs);
  GraphValue ints = lists.Get("cats_int64s");
  GraphValue strings = lists.Get("cats_strings");
  if (!ints.spec || !strings.spec) {
    return InvalidArgument("expected both cats_int64s and cats_strings");
  }
  if (x->dtype() == DType::kString) {
    SIGNET_ASSIGN_OR_RETURN(int64_t missing, call.attributes.Int("default_int64"));
    return ByTable(build, inputs[0], strings, ints, build.Constant(Tensor::Scalar(missing)));
  }
  SIGNET_ASSIGN_OR_RETURN(std::string text, call.attributes.String("default_string"));
  GraphValue missing = TextConstant(build, text);
  return ByTable(build, inputs[0], ints, strings, missing);
}

// --- columns ------------------------------------------------------------------------------------

// Returns the matrix `x` with `wanted` columns: further columns are dropped, and missing ones are
// 0.
StatusOr<GraphValue> WithColumns(OpBuilder& build, GraphValue x, int64_t wanted) {
  if (wanted < 0) {
    return InvalidArgument("inputdimensions: expected at least 0, found ", wanted);
  }
  int64_t given = LastDim(x);
  // An unknown number of columns is padded by `wanted` columns, then cut.
  if (given == kUnknownDim || given < wanted) {
    const int64_t before[] = {0, 0};
    const int64_t after[] = {0, given == kUnknownDim ? wanted : wanted - given};
    SIGNET_ASSIGN_OR_RETURN(x, build.Pad(x, {.before = before, .after = after}));
  }
  if (given == kUnknownDim || given > wanted) {
    const int64_t starts[] = {0};
    const int64_t limits[] = {wanted};
    const int64_t axes[] = {1};
    SIGNET_ASSIGN_OR_RETURN(x, build.Slice(x, {.starts = starts, .limits = limits, .axes = axes}));
  }
  return x;
}

StatusOr<Values> ExpandFeatureVectorizer(OpBuilder& build, const OpCall& call,
                                         std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto sizes, OptionalInts(call.attributes, "inputdimensions"));
  if (inputs.empty() || (sizes && sizes->size() != inputs.size())) {
    return InvalidArgument("expected one input per element of inputdimensions, found ",
                           inputs.size());
  }
  Values parts;
  for (size_t i = 0; i < inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, i));
    if (rank == 0) return InvalidArgument("input ", i, ": expected rows, found a scalar");
    SIGNET_ASSIGN_OR_RETURN(GraphValue x, CastTo(build, inputs[i], DType::kFloat32));
    if (rank == 1) {
      SIGNET_ASSIGN_OR_RETURN(x, build.ExpandDims(x, {.axis = 0}));
    } else if (rank > 2) {
      SIGNET_ASSIGN_OR_RETURN(x, build.Flatten(x, {.first = 1}));
    }
    if (sizes) {
      SIGNET_ASSIGN_OR_RETURN(x, WithColumns(build, std::move(x), (*sizes)[i]));
    }
    parts.push_back(std::move(x));
  }
  if (parts.size() == 1) return parts;
  return build.Concat(parts, {.axis = 1});
}

StatusOr<Values> ExpandArrayFeatureExtractor(OpBuilder& build, const OpCall&,
                                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 1).status());
  if (rank == 0) return InvalidArgument("input 0: expected rows, found a scalar");
  GraphValue x = inputs[0];
  if (rank == 1) {
    SIGNET_ASSIGN_OR_RETURN(x, build.ExpandDims(x, {.axis = 0}));
  }
  return OneOutput(build.Gather(x, AsVector(build, inputs[1]), {.axis = std::max(rank, 2) - 1}));
}

}  // namespace

std::vector<OpDef> OnnxFeatureOps() {
  AttributeDef text = {"default_string", AttributeOf(kMissingText)};
  AttributeDef integer = {"default_int64", AttributeOf(-1)};
  return {
      OnnxOp("onnx.ml.ArrayFeatureExtractor", "Picks columns", {"X", "Y"}, {},
             ExpandArrayFeatureExtractor),
      OnnxOp("onnx.ml.Binarizer", "Gives 1 for what is above a threshold, else 0", {"X"},
             {{"threshold", AttributeOf(0.0)}}, ExpandBinarizer),
      OnnxOp("onnx.ml.CategoryMapper", "Maps strings to integers, or back",
             InputsAndLists({"X"}, {"cats_int64s", "cats_strings"}), {text, integer},
             ExpandCategoryMapper),
      OnnxOp("onnx.ml.FeatureVectorizer", "Joins columns", {"X..."},
             {{"inputdimensions", NoneAttribute()}}, ExpandFeatureVectorizer),
      OnnxOp("onnx.ml.Imputer", "Replaces what is missing",
             InputsAndLists({"X"}, {"imputed_value_floats", "imputed_value_int64s"}),
             {{"replaced_value_float", AttributeOf(0.0)}, {"replaced_value_int64", AttributeOf(0)}},
             ExpandImputer),
      OnnxOp("onnx.ml.LabelEncoder", "Maps keys to values",
             InputsAndLists({"X"}, {"classes_strings", "keys_floats", "keys_int64s", "keys_strings",
                                    "keys_tensor", "values_floats", "values_int64s",
                                    "values_strings", "values_tensor", "default_tensor"}),
             {text, integer, {"default_float", AttributeOf(-0.0)}}, ExpandLabelEncoder),
      OnnxOp("onnx.ml.Normalizer", "Divides each row by its norm", {"X"},
             {{"norm", AttributeOf("MAX")}}, ExpandNormalizer),
      OnnxOp("onnx.ml.OneHotEncoder", "Adds a dimension that is 1 at the category, else 0",
             InputsAndLists({"X"}, {"cats_int64s", "cats_strings"}), {{"zeros", AttributeOf(1)}},
             ExpandOneHotEncoder),
      OnnxOp("onnx.ml.Scaler", "Takes away offsets and multiplies by scales",
             InputsAndLists({"X"}, {"offset", "scale"}), {}, ExpandScaler),
  };
}

}  // namespace signet
