// The operator that reads records of comma-separated values.

#include "core/frontends/savedmodel/lower/tf_op.h"
#include "core/ops/def/attribute_list.h"

namespace signet {
namespace {

bool IsSupported(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || dtype == DType::kInt32 ||
         dtype == DType::kInt64 || dtype == DType::kString;
}

// Returns the values of a column. Missing fields have the default value.
StatusOr<GraphValue> ColumnOf(OpBuilder& build, const Operand& texts, const std::string& na_value,
                              const GraphValue& default_value, size_t column) {
  const DType dtype = TensorDType(Operand(default_value));
  if (!IsSupported(dtype)) {
    return InvalidArgument("column ", column, ": unsupported dtype `", NameOf(dtype),
                           "`; supported: float32, float64, int32, int64, string");
  }
  auto text = [&](std::string_view value) {
    return build.Constant(Tensor::Strings({}, {&value, 1}));
  };
  Expr is_missing = build.Equal(texts, text(""));
  if (!na_value.empty()) {
    is_missing = build.LogicalOr(is_missing, build.Equal(texts, text(na_value)));
  }
  // A default value has one element, or none if the column is required.
  Expr defaults = build.Reshape(default_value, {.shape = {-1}});
  Expr num_defaults = DimSize(build, defaults, 0);
  SIGNET_RETURN_IF_ERROR(
      CheckCondition(build, build.Less(num_defaults, 2),
                     InvalidArgument("column ", column, ": expected at most one default value")));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build,
      build.LogicalOr(build.Equal(num_defaults, 1), build.LogicalNot(build.ReduceAny(is_missing))),
      InvalidArgument("column ", column,
                      ": expected a value in each record, because it has no default value")));
  Expr otherwise = build.Gather(
      build.Concat({defaults, build.Reshape(Zero(build, dtype), {.shape = {1}})}, {.axis = 0}),
      Int64Constant(build, 0), {.axis = 0});
  if (dtype == DType::kString) return build.Select(is_missing, otherwise, texts);
  Expr numbers = build.StringToNumber(build.StringStrip(build.Select(is_missing, text("0"), texts)),
                                      {.dtype = dtype});
  return build.Select(is_missing, otherwise, numbers);
}

TfOutputs ExpandDecodeCsv(OpBuilder& build, const OpCall& call, TfInputs in) {
  if (in.size() < 2) return InvalidArgument("expected at least one default value");
  SIGNET_ASSIGN_OR_RETURN(std::string na_value, call.attributes.String("na_value"));
  const size_t count = in.size() - 1;
  Expr fields =
      build.CallOne(std::string_view("parse_csv"), {build.Reshape(in[0], {.shape = {-1}})},
                    Attributes({{"delimiter", call.attributes.Lookup("field_delim")},
                                {"quotes", call.attributes.Lookup("use_quote_delim")},
                                {"columns", call.attributes.Lookup("select_cols")},
                                {"num_columns", AttributeOf(static_cast<int64_t>(count))}}));
  std::vector<GraphValue> out;
  for (size_t i = 0; i < count; ++i) {
    Expr texts = build.Gather(fields, Int64Constant(build, static_cast<int64_t>(i)), {.axis = 1});
    SIGNET_ASSIGN_OR_RETURN(GraphValue column, ColumnOf(build, texts, na_value, in[i + 1], i));
    SIGNET_ASSIGN_OR_RETURN(out.emplace_back(), ReshapeLike(build, column, in[0]));
  }
  return out;
}

}  // namespace

std::vector<OpDef> TfCsvOps() {
  return {
      TfOp("DecodeCSV", "Reads records of comma-separated values",
           {"records", "record_defaults..."},
           {{"field_delim", AttributeOf(",")},
            {"use_quote_delim", AttributeOf(true)},
            {"na_value", AttributeOf("")},
            {"select_cols", ListType({})}},
           ExpandDecodeCsv),
  };
}

}  // namespace signet
