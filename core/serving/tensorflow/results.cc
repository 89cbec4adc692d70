#include "core/serving/tensorflow/results.h"

#include <bit>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/formats/tensorflow/proto_pieces.h"
#include "core/serving/flat/flat_signature.h"
#include "core/serving/tensorflow/signatures.h"
#include "core/values/builders/value_writer.h"
#include "signet/record_spec.h"
#include "signet/structured.h"
#include "signet/structured_spec.h"
#include "tensorflow_serving/classification.pb.h"
#include "tensorflow_serving/regression.pb.h"

namespace signet::tf {
namespace {

using ::tensorflow::serving::Class;
using ::tensorflow::serving::ClassificationResult;
using ::tensorflow::serving::Classifications;
using ::tensorflow::serving::Regression;
using ::tensorflow::serving::RegressionResult;

struct Output {
  std::string name;  // empty for a result without names
  Tensor tensor;
};

// Returns the dense outputs of a function.
std::vector<Output> DenseOutputs(const Value& result, const CalledFunction& called) {
  std::vector<Output> out;
  auto add = [&](const std::string& name, const Value& value) {
    if (!value.spec().is(TypeKind::kTensor)) return;
    out.push_back({SourceNameOfResult(called.function->def(), name), value.tensor()});
  };
  const TypeSpec& spec = result.spec();
  if (spec.is(TypeKind::kTensor)) {
    out.push_back({.name = {}, .tensor = result.tensor()});
  } else if (const auto* structured = spec.As<StructuredSpec>()) {
    for (const std::string& name : structured->field_names()) {
      if (auto column = FieldOf(result, name); column.ok()) add(name, *column);
    }
  } else {
    std::span<const std::string> names;
    if (const auto* dict = spec.As<DictSpec>()) names = dict->keys();
    if (const auto* tuple = spec.As<NamedTupleSpec>()) names = tuple->field_names();
    const std::vector<Value> children = ChildrenOf(result);
    for (size_t i = 0; i < names.size(); ++i) add(names[i], children[i]);
  }
  return out;
}

// Returns true for [B] and [B, C], where B is the number of examples.
bool HasRows(const Tensor& tensor, size_t num_examples) {
  return (tensor.rank() == 1 || tensor.rank() == 2) &&
         tensor.shape().dim(0) == static_cast<int64_t>(num_examples);
}

size_t NumColumns(const Tensor& tensor) {
  return tensor.rank() == 2 ? static_cast<size_t>(tensor.shape().dim(1)) : 1;
}

std::vector<float> ToFloats(const Tensor& tensor) {
  std::vector<float> out;
  out.reserve(static_cast<size_t>(tensor.num_elements()));
  VisitDType(tensor.dtype(), [&]<class T>(TypeTag<T>) {
    if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      for (T element : tensor.elements<T>()) out.push_back(ToFloat(element));
    } else if constexpr (std::is_arithmetic_v<T>) {
      for (T element : tensor.elements<T>()) out.push_back(static_cast<float>(element));
    }
  });
  return out;
}

bool IsNumber(const Output& output) {
  const DType dtype = output.tensor.dtype();
  return IsInteger(dtype) || IsFloat(dtype);
}

// Returns the output called `name`, or else the only output that `fits`, or null.
template <class Fits>
const Output* FindOutput(const std::vector<Output>& outputs, std::string_view name, Fits fits) {
  const Output* only = nullptr;
  int count = 0;
  for (const Output& output : outputs) {
    if (!fits(output)) continue;
    if (output.name == name) return &output;
    only = &output;
    ++count;
  }
  return count == 1 ? only : nullptr;
}

Status CheckRows(const Output& output, std::string_view expected, size_t num_examples) {
  if (HasRows(output.tensor, num_examples)) return absl::OkStatus();
  return InvalidArgument("the output `", output.name.empty() ? "outputs" : output.name,
                         "` has the type `", output.tensor.spec(), "`; expected ", expected,
                         " for ", num_examples, num_examples == 1 ? " example" : " examples");
}

void AppendScore(std::string& out, float value) {
  if (value != value) {
    out += "NaN";
  } else if (value - value != 0) {
    out += value > 0 ? "Infinity" : "-Infinity";
  } else {
    AppendFloat(out, value, DType::kFloat32);
  }
}

void AppendFloatField(std::string& out, int field, float value) {
  AppendFixed32Field(out, field, std::bit_cast<uint32_t>(value));
}

}  // namespace

StatusOr<ClassScores> ClassScoresOf(const Value& result, const CalledFunction& called,
                                    size_t num_examples) {
  const std::vector<Output> outputs = DenseOutputs(result, called);
  const Output* labels = FindOutput(outputs, "classes",
                                    [](const Output& output) { return output.tensor.is_string(); });
  const Output* scores = FindOutput(outputs, "scores", IsNumber);
  if (labels == nullptr && scores == nullptr) {
    return InvalidArgument(
        "expected a result with `classes`, `scores`, or both to classify, found `", result.spec(),
        "`");
  }
  ClassScores out{.num_rows = num_examples};
  for (const Output* output : {labels, scores}) {
    if (output == nullptr) continue;
    SIGNET_RETURN_IF_ERROR(CheckRows(*output, "[batch_size, num_classes]", num_examples));
    const size_t columns = NumColumns(output->tensor);
    if (output == scores && labels != nullptr && columns != out.num_classes) {
      return InvalidArgument("expected the same number of classes and scores, found ",
                             out.num_classes, " classes and ", columns, " scores");
    }
    out.num_classes = columns;
  }
  if (labels != nullptr) out.labels = labels->tensor;
  if (scores != nullptr) out.scores = ToFloats(scores->tensor);
  return out;
}

StatusOr<std::vector<float>> RegressionsOf(const Value& result, const CalledFunction& called,
                                           size_t num_examples) {
  const std::vector<Output> outputs = DenseOutputs(result, called);
  const Output* found = FindOutput(outputs, "outputs", IsNumber);
  if (found == nullptr) {
    return InvalidArgument("expected a result with numbers in `outputs` to regress, found `",
                           result.spec(), "`");
  }
  SIGNET_RETURN_IF_ERROR(CheckRows(*found, "[batch_size] or [batch_size, 1]", num_examples));
  if (NumColumns(found->tensor) != 1) {
    return InvalidArgument("expected one value per example to regress, found `",
                           found->tensor.spec(), "`");
  }
  return ToFloats(found->tensor);
}

std::string WriteClassScores(const ClassScores& classes) {
  std::string out;
  size_t i = 0;
  for (size_t row = 0; row < classes.num_rows; ++row) {
    std::string entries;
    for (size_t column = 0; column < classes.num_classes; ++column, ++i) {
      std::string entry;
      if (!classes.label(i).empty()) {
        AppendBytesField(entry, Class::kLabelFieldNumber, classes.label(i));
      }
      AppendFloatField(entry, Class::kScoreFieldNumber, classes.score(i));
      AppendBytesField(entries, Classifications::kClassesFieldNumber, entry);
    }
    AppendBytesField(out, ClassificationResult::kClassificationsFieldNumber, entries);
  }
  return out;
}

std::string WriteRegressions(const std::vector<float>& values) {
  std::string out;
  for (float value : values) {
    std::string entry;
    AppendFloatField(entry, Regression::kValueFieldNumber, value);
    AppendBytesField(out, RegressionResult::kRegressionsFieldNumber, entry);
  }
  return out;
}

std::string ClassScoresToJson(const ClassScores& classes) {
  std::string out = "{\"results\": [";
  size_t i = 0;
  for (size_t row = 0; row < classes.num_rows; ++row) {
    out += row > 0 ? ", [" : "[";
    for (size_t column = 0; column < classes.num_classes; ++column, ++i) {
      const nlohmann::json label = std::string(classes.label(i));
      out += column > 0 ? ", [" : "[";
      out += label.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
      out += ", ";
      AppendScore(out, classes.score(i));
      out += ']';
    }
    out += ']';
  }
  return out + "]}\n";
}

std::string RegressionsToJson(const std::vector<float>& values) {
  std::string out = "{\"results\": [";
  for (size_t i = 0; i < values.size(); ++i) {
    if (i > 0) out += ", ";
    AppendScore(out, values[i]);
  }
  return out + "]}\n";
}

}  // namespace signet::tf
