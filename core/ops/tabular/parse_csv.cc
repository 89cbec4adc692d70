// parse_csv: splits records of comma-separated values into fields.
//
//   parse_csv(["1,\"a,b\""], num_columns=2)  =>  [["1", "a,b"]]

#include "core/ops/def/inference.h"
#include "core/ops/tabular/tabular_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr int64_t kMaxColumns = 1 << 16;

StatusOr<std::vector<TypeSpec>> InferParseCsv(const OpCall& call) {
  // C1: the input is a vector of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (x->dtype() != DType::kString || (shape.has_rank() && shape.rank() != 1)) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected `string[?]`, found `", call.inputs[0], "`"));
  }
  // C2: `delimiter` is one byte.
  SIGNET_ASSIGN_OR_RETURN(std::string delimiter,
                          WithConstraint("C2", call.attributes.String("delimiter")));
  if (delimiter.size() != 1) {
    return WithConstraint(
        "C2", InvalidArgument("`delimiter`: expected one byte, found ", delimiter.size()));
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("quotes").status()));
  // C3: `num_columns` is in a range, and `columns` are as many increasing numbers.
  SIGNET_ASSIGN_OR_RETURN(int64_t count, WithConstraint("C3", call.attributes.Int("num_columns")));
  SIGNET_ASSIGN_OR_RETURN(auto columns, WithConstraint("C3", call.attributes.Ints("columns")));
  if (count < 0 || count > kMaxColumns) {
    return WithConstraint(
        "C3", InvalidArgument("`num_columns`: expected 0 to ", kMaxColumns, ", found ", count));
  }
  if (!columns.empty() && static_cast<int64_t>(columns.size()) != count) {
    return WithConstraint(
        "C3", InvalidArgument("`columns`: expected ", count, " numbers, found ", columns.size()));
  }
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i] < 0 || (i > 0 && columns[i] <= columns[i - 1])) {
      return WithConstraint(
          "C3", InvalidArgument("`columns`: expected increasing numbers of at least 0, found ",
                                columns[i], i > 0 ? " in order" : ""));
    }
  }
  return OneOutput(
      TensorType(DType::kString, {shape.has_rank() ? shape.dim(0) : kUnknownDim, count}));
}

}  // namespace

OpDef ParseCsv() {
  return {
      .name = "parse_csv",
      .summary = "Splits records of comma-separated values into fields",
      .description =
          "Each string is one record. A field that begins with a double quote ends with the next "
          "one that is not doubled; two of them are one. Other fields contain neither double "
          "quotes nor line breaks. With `quotes` False, double quotes are like other characters. "
          "Line breaks before a field are skipped. If `columns` lists numbers of fields, from 0, "
          "only these fields are returned, and the rest of a record after the last one is not "
          "read.",
      .inputs = {"records"},
      .attributes = {{"delimiter", AttributeOf(",")},
                     {"quotes", AttributeOf(true)},
                     {"columns", ListType({})},
                     {"num_columns"}},
      .result = "`string[n, num_columns]`, one row per record.",
      .constraints = {"The input is a vector of strings.",
                      "`delimiter` is one byte, and `quotes` is True or False.",
                      "`num_columns` is 0 to 2^16. `columns` is empty or has as many increasing "
                      "numbers.",
                      "Each record is well formed and has `num_columns` fields, or all `columns`."},
      .infer = InferParseCsv,
  };
}

}  // namespace signet
