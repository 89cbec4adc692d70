// Operators of ai.onnx.ml that return or accept maps. Maps with the same keys, one per row, are
// records. A map that is an argument of a model is a dict, whose keys are text.

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <utility>

#include "core/frontends/onnx/lower/build/field_names.h"
#include "core/frontends/onnx/lower/ml/ml_inputs.h"
#include "core/frontends/onnx/lower/ml/ml_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/types/identifier.h"
#include "core/values/zero_scalar.h"
#include "signet/record_spec.h"

namespace signet {

std::vector<std::string> FieldNamesOf(std::span<const std::string> labels) {
  std::vector<std::string> names;
  // A label that is a name of a field keeps its name.
  std::set<std::string> own;
  for (const std::string& label : labels) {
    if (IsFieldName(label)) own.insert(label);
  }
  std::set<std::string> taken;
  for (const std::string& label : labels) {
    std::string name = label;
    if (!IsFieldName(label)) {
      name = "class_";
      for (char c : label) {
        bool is_word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        name.push_back(is_word ? c : '_');
      }
    }
    std::string free = name;
    auto is_taken = [&] {
      return (free != label && own.contains(free)) || !taken.insert(free).second;
    };
    for (int number = 2; is_taken(); ++number) free = Cat(name, "_", number);
    names.push_back(std::move(free));
  }
  return names;
}

namespace {

using Values = std::vector<GraphValue>;

// Returns a list of labels, of int64 or string, as text.
std::vector<std::string> TextsOf(const Tensor& labels) {
  std::vector<std::string> out;
  for (int64_t i = 0; i < labels.num_elements(); ++i) {
    if (labels.is_string()) {
      out.emplace_back(labels.string_at(i));
    } else {
      out.push_back(std::to_string(labels.elements<int64_t>()[static_cast<size_t>(i)]));
    }
  }
  return out;
}

// Returns the one of two lists that is set.
StatusOr<std::vector<std::string>> LabelsIn(const ListInputs& lists, std::string_view ints,
                                            std::string_view strings) {
  for (std::string_view name : {strings, ints}) {
    SIGNET_ASSIGN_OR_RETURN(const Tensor* labels, lists.Known(name));
    if (labels == nullptr || labels->num_elements() == 0) continue;
    if (labels->is_string() || labels->dtype() == DType::kInt64) return TextsOf(*labels);
    return InvalidArgument(name, ": expected a list, found `", labels->spec(), "`");
  }
  return InvalidArgument("expected ", strings, " or ", ints, ", found neither");
}

StatusOr<Values> ExpandZipMap(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(auto labels,
                          LabelsIn(lists, "classlabels_int64s", "classlabels_strings"));
  GraphValue scores = inputs[0];
  if (rank == 1) {
    SIGNET_ASSIGN_OR_RETURN(scores, build.ExpandDims(scores, {.axis = 0}));
  } else if (rank != 2) {
    return InvalidArgument("input 0: expected a row or a matrix of rows, found `", inputs[0].spec,
                           "`");
  }
  auto count = static_cast<int64_t>(labels.size());
  SIGNET_ASSIGN_OR_RETURN(Values columns, build.Unstack(scores, {.axis = 1, .num = count}));
  std::vector<std::string> names = FieldNamesOf(labels);
  StructureParts parts;
  parts.shape = PartialShape::OfRank(1);
  for (size_t i = 0; i < names.size(); ++i) {
    // All columns share the rows of the matrix.
    parts.fields.push_back({names[i], columns[i], i > 0});
  }
  return OneOutput(MakeStructureValue(build, std::move(parts)));
}

// Returns the values of a dict, or the fields of records, by key.
StatusOr<std::map<std::string, GraphValue>> MapOf(std::span<const GraphValue> inputs) {
  std::map<std::string, GraphValue> out;
  if (IsGiven(inputs, 0)) {
    if (const auto* dict = inputs[0].spec.As<DictSpec>()) {
      for (size_t i = 0; i < dict->keys().size(); ++i) {
        out[dict->keys()[i]] = ChildOf(inputs[0], i);
      }
    } else if (const auto* records = inputs[0].spec.As<StructuredSpec>()) {
      for (const std::string& name : records->field_names()) {
        SIGNET_ASSIGN_OR_RETURN(out[name], FieldValue(inputs[0], name));
      }
    }
  }
  if (out.empty()) {
    return InvalidArgument("input 0: expected a dict or records with at least one field, found `",
                           IsGiven(inputs, 0) ? inputs[0].spec : TypeSpec(), "`");
  }
  DType dtype = DType::kBool;
  int rank = -1;
  for (const auto& [key, value] : out) {
    const auto* tensor = value.spec.As<TensorSpec>();
    bool fits = tensor != nullptr && tensor->shape().has_rank() && tensor->shape().rank() <= 1;
    if (fits && rank >= 0) fits = tensor->dtype() == dtype && tensor->shape().rank() == rank;
    if (!fits) {
      return InvalidArgument("value `", Printable(key),
                             "`: expected scalars, or vectors, of one dtype, found `", value.spec,
                             "`");
    }
    dtype = tensor->dtype();
    rank = tensor->shape().rank();
  }
  return out;
}

// Joins scalars into a row, or vectors into a matrix with one column per vector.
StatusOr<GraphValue> AsRows(OpBuilder& build, const Values& columns) {
  int rank = columns[0].spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, build.Stack(columns, {.axis = rank}));
  if (rank == 1) return out;
  return build.ExpandDims(out, {.axis = 0});
}

StatusOr<Values> ExpandDictVectorizer(OpBuilder& build, const OpCall& call,
                                      std::span<const GraphValue> inputs) {
  ListInputs lists(build, call, inputs);
  SIGNET_ASSIGN_OR_RETURN(auto words, LabelsIn(lists, "int64_vocabulary", "string_vocabulary"));
  SIGNET_ASSIGN_OR_RETURN(auto map, MapOf(inputs));
  const GraphValue& any = map.begin()->second;
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(any.spec.As<TensorSpec>()->dtype()));
  Values columns;
  for (const std::string& word : words) {
    auto found = map.find(word);
    if (found != map.end()) {
      columns.push_back(found->second);
    } else if (any.spec.shape()->rank() == 0) {
      columns.push_back(build.Constant(blank));
    } else {
      SIGNET_ASSIGN_OR_RETURN(GraphValue zeros, build.ZerosLike(any));
      columns.push_back(std::move(zeros));
    }
  }
  return OneOutput(AsRows(build, columns));
}

StatusOr<Values> ExpandCastMap(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto map, MapOf(inputs));
  SIGNET_ASSIGN_OR_RETURN(std::string cast_to, call.attributes.String("cast_to"));
  SIGNET_ASSIGN_OR_RETURN(std::string form, call.attributes.String("map_form"));
  SIGNET_ASSIGN_OR_RETURN(int64_t size, call.attributes.Int("max_map"));
  const std::map<std::string, DType> dtypes = {
      {"TO_FLOAT", DType::kFloat32}, {"TO_INT64", DType::kInt64}, {"TO_STRING", DType::kString}};
  auto dtype = dtypes.find(cast_to);
  if (dtype == dtypes.end()) {
    return InvalidArgument("cast_to: expected TO_FLOAT, TO_INT64, or TO_STRING, found `",
                           Printable(cast_to), "`");
  }
  std::map<int64_t, GraphValue> by_number;
  for (const auto& [key, value] : map) {
    int64_t number = 0;
    auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    if (error != std::errc() || end != key.data() + key.size()) {
      return InvalidArgument("expected integers as keys, found `", Printable(key), "`");
    }
    SIGNET_ASSIGN_OR_RETURN(by_number[number], CastTo(build, value, dtype->second));
  }
  Values columns;
  if (form == "DENSE") {
    for (const auto& [number, value] : by_number) columns.push_back(value);
    return OneOutput(AsRows(build, columns));
  }
  if (form != "SPARSE" || size < 1 || size > (int64_t{1} << 16)) {
    return InvalidArgument(
        "expected map_form DENSE, or SPARSE with a max_map of 1 to 65536, found `", Printable(form),
        "` with ", size);
  }
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(dtype->second));
  for (int64_t i = 0; i < size; ++i) {
    auto found = by_number.find(i);
    columns.push_back(found == by_number.end() ? build.Constant(blank) : found->second);
  }
  return OneOutput(AsRows(build, columns));
}

}  // namespace

std::vector<OpDef> OnnxMapOps() {
  return {
      OnnxOpOnValues("onnx.ml.CastMap", "Makes a row of the values of a map", {"X"},
                     {{"cast_to", AttributeOf("TO_FLOAT")},
                      {"map_form", AttributeOf("DENSE")},
                      {"max_map", AttributeOf(1)}},
                     ExpandCastMap),
      OnnxOpOnValues("onnx.ml.DictVectorizer",
                     "Makes a row of the values of a map, by a vocabulary",
                     InputsAndLists({"X"}, {"int64_vocabulary", "string_vocabulary"}), {},
                     ExpandDictVectorizer),
      OnnxOp("onnx.ml.ZipMap", "Makes a record of each row, with a field for each class",
             InputsAndLists({"X"}, {"classlabels_int64s", "classlabels_strings"}), {},
             ExpandZipMap),
  };
}

}  // namespace signet
