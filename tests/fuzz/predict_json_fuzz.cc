// Law: the arguments that are read from the body of a TensorFlow Serving request are JSON texts or
// values, and the examples of such a body are messages that can be read. The first byte selects the
// function, and how bare words of numbers are read.

#include "core/formats/json/json.h"
#include "core/formats/tensorflow/example_rows.h"
#include "core/model/native/build_model_def.h"
#include "core/serving/tensorflow/examples_input.h"
#include "core/serving/tensorflow/predict_json.h"
#include "signet/model_builder.h"
#include "signet/tensor_spec.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace signet;  // NOLINT(google-build-using-namespace): a program of one function
  static const std::shared_ptr<const LoadedModel> model = [] {
    ModelBuilder builder;
    builder.AddFunction("one", "(x: float32[?, 1])").Result("x");
    builder.AddFunction("two", "(x: float32[?, ?], y: string[?], z = 3)").Result("x");
    builder.AddFunction("records", "(rows: [{a: float32[], b?: string[]}])").Result("rows");
    return std::make_shared<LoadedModel>("m", 1, *BuildModelDef(builder), ModelOptions());
  }();
  static const char* const kFunctions[] = {"one", "two", "records"};
  if (size == 0) return 0;
  Limits limits;
  limits.expanded_bytes = 1 << 20;
  const CalledFunction called{.model = model,
                              .function = *model->FindFunction(kFunctions[data[0] % 3])};
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto form = data[0] < 128 ? tf::NumberWords::kPlain : tf::NumberWords::kEscaped;
  auto body = tf::BodyMembers::Parse(Buffer::Copy(text), limits, form);
  if (!body.ok()) return 0;
  if (auto predict = tf::PredictBody::Make(*body); predict.ok()) {
    CallRequest call;
    tf::ColumnShapes shapes;
    if (predict->AddArguments(called, limits, call, shapes).ok()) {
      for (const EncodedArgument& argument : call.encoded) {
        auto value = ValueFromJson(argument.data.text(), TypeSpec(), limits);
        SIGNET_CHECK(value.ok() || !MessageOf(value.status()).empty());
      }
    }
  }
  auto examples = tf::ReadExamplesBody(*body, called, limits);
  if (!examples.ok()) return 0;
  static const TypeSpec strings = TensorType(DType::kString, {kUnknownDim});
  SIGNET_CHECK(tf::ValueFromExamples(examples->rows, examples->context, strings, Limits()).ok());
  return 0;
}
