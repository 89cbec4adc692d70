// Requests: makes models and requests of their functions, and executes them as a server does.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <gtest/gtest.h>

#include "core/formats/arrow/arrow.h"
#include "core/formats/json/json.h"
#include "core/model/native/build_model_def.h"
#include "core/serving/call/execute.h"

namespace signet {

inline std::shared_ptr<const LoadedModel> ModelOf(const ModelBuilder& builder) {
  auto def = BuildModelDef(builder);
  if (!def.ok()) ADD_FAILURE() << def.status();
  return std::make_shared<LoadedModel>("m", 1, *std::move(def), ModelOptions());
}

inline EncodedArgument Encoded(DataFormat format, std::string_view text) {
  return {.format = format, .data = Buffer::Copy(text)};
}
inline EncodedArgument JsonArgument(std::string_view text) {
  return Encoded(DataFormat::kJson, text);
}

inline StatusOr<EncodedArgument> ArrowArgument(const Value& value) {
  SIGNET_ASSIGN_OR_RETURN(std::vector<Buffer> pieces, ArrowFromValue(value));
  std::string stream;
  for (const Buffer& piece : pieces) stream += piece.text();
  return Encoded(DataFormat::kArrow, stream);
}

// A request with encoded arguments by position.
inline CallRequest RequestOf(std::vector<EncodedArgument> arguments) {
  CallRequest request;
  request.arguments.positional.resize(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) arguments[i].index = i;
  request.encoded = std::move(arguments);
  return request;
}

inline CalledFunction FunctionOf(const std::shared_ptr<const LoadedModel>& model,
                                 std::string_view name) {
  auto function = model->FindFunction(name);
  EXPECT_TRUE(function.ok()) << function.status();
  return {model, *function};
}

// Binds and executes the call.
inline StatusOr<Value> Execute(const CalledFunction& called, CallRequest request) {
  const Limits limits;
  SIGNET_ASSIGN_OR_RETURN(BoundCall call, BindToFunction(called, std::move(request)));
  SIGNET_ASSIGN_OR_RETURN(CallOutput output, CallExecution(std::move(call), limits).Attempt({}));
  return std::get<Value>(std::move(output.result));
}

}  // namespace signet
