#include "server/protocols/tensorflow/predict_call.h"

#include <algorithm>
#include <utility>

#include "core/formats/tensorflow/proto_pieces.h"
#include "core/formats/tensorflow/tensor_proto.h"
#include "core/serving/flat/flat_signature.h"
#include "core/serving/tensorflow/named_outputs.h"
#include "tensorflow_serving/predict.pb.h"

namespace signet::tf {
namespace {

using ::tensorflow::serving::PredictRequest;
using ::tensorflow::serving::PredictResponse;
using wire::WireCursor;
using wire::WireSource;
using wire::WireTag;
using wire::WireType;

// The fields of an entry of a map.
constexpr int kKeyField = 1;
constexpr int kValueField = 2;

StatusOr<NamedTensor> ReadEntry(WireSource& source, WireCursor entry) {
  NamedTensor out;
  std::optional<WireCursor> value;
  while (uint32_t tag = entry.NextTag()) {
    switch (tag) {
      case WireTag(kKeyField, WireType::kBytes):
        out.name = entry.Text();
        break;
      case WireTag(kValueField, WireType::kBytes):
        value = entry.Enter();
        break;
      default:
        entry.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(At("inputs", source.status()));
  const std::string where = Cat("tensor parsing error: ", Printable(out.name));
  if (!value) return InvalidArgument(where, ": missing tensor");
  auto tensor = ReadTensorProto(source, *value);
  if (!tensor.ok()) return WithField(out.name, At(where, tensor.status()));
  out.tensor = *std::move(tensor);
  return out;
}

// Appends a map entry whose value consists of `pieces`, which remain separate.
void AppendEntry(int field, std::string_view key, wire::Pieces pieces, wire::Pieces& out) {
  std::string head;
  AppendBytesField(head, kKeyField, key);
  size_t size = 0;
  for (const Buffer& piece : pieces) size += piece.size();
  AppendBytesHead(head, kValueField, size);
  std::string begin;
  AppendBytesHead(begin, field, head.size() + size);
  out.push_back(BufferOf(begin + head));
  for (Buffer& piece : pieces) out.push_back(std::move(piece));
}

}  // namespace

StatusOr<std::vector<ServingTask>> PredictCall::ReadTasks(const wire::Message& message,
                                                          const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  while (uint32_t tag = cursor.NextTag()) {
    switch (tag) {
      case WireTag(PredictRequest::kModelSpecFieldNumber, WireType::kBytes): {
        SIGNET_ASSIGN_OR_RETURN(target_, ReadModelSpec(source, cursor.Enter()));
        break;
      }
      case WireTag(PredictRequest::kOutputFilterFieldNumber, WireType::kBytes):
        SIGNET_RETURN_IF_ERROR(At("output_filter", source.allowance().TakeNames()));
        filter_.push_back(cursor.Text());
        break;
      default:
        cursor.Skip(tag);
    }
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  std::sort(filter_.begin(), filter_.end());
  auto twice = std::adjacent_find(filter_.begin(), filter_.end());
  if (twice != filter_.end()) {
    return InvalidArgument("duplicate output tensor alias: ", Printable(*twice),
                           "; expected different names in output_filter");
  }
  return std::vector<ServingTask>{{target_, Method::kPredict}};
}

StatusOr<CallRequest> PredictCall::Read(const wire::Message& message, size_t /*i*/,
                                        const CalledFunction& called, const Limits& limits) {
  WireSource source(message, limits);
  WireCursor cursor(source);
  std::vector<NamedTensor> inputs;
  while (uint32_t tag = cursor.NextTag()) {
    if (tag != WireTag(PredictRequest::kInputsFieldNumber, WireType::kBytes)) {
      cursor.Skip(tag);
      continue;
    }
    SIGNET_RETURN_IF_ERROR(source.allowance().TakeNames());
    SIGNET_ASSIGN_OR_RETURN(NamedTensor input, ReadEntry(source, cursor.Enter()));
    inputs.push_back(std::move(input));
  }
  SIGNET_RETURN_IF_ERROR(source.status());
  const FunctionDef& def = called.function->def();
  for (NamedTensor& input : inputs) {
    if (const Parameter* parameter = LookupInput(def, input.name)) {
      input.name = SourceNameOf(def, *parameter);
      input.tensor = shapes_.Fit(std::move(input.tensor), parameter->type);
    }
  }
  SIGNET_RETURN_IF_ERROR(CheckInputs(called, inputs));
  CallRequest call;
  call.tensors = std::move(inputs);
  return call;
}

Status PredictCall::Add(size_t /*i*/, const CalledFunction& called, CallOutput output) {
  const auto& value = std::get<Value>(output.result);
  size_t num_found = 0;
  std::vector<std::string> names;
  for (const NamedTensor& tensor : TensorsOf(value, called, shapes_)) {
    names.push_back(tensor.name);
    if (!filter_.empty()) {
      if (!std::binary_search(filter_.begin(), filter_.end(), tensor.name)) continue;
      ++num_found;
    }
    AppendEntry(PredictResponse::kOutputsFieldNumber, tensor.name, WriteTensorProto(tensor.tensor),
                response_);
  }
  if (num_found != filter_.size()) {
    std::sort(names.begin(), names.end());
    for (const std::string& wanted : filter_) {
      if (std::binary_search(names.begin(), names.end(), wanted)) continue;
      return InvalidArgument("output tensor alias not found in signature: ", Printable(wanted),
                             " Outputs expected to be in the set {", Join(names, ","), "}");
    }
  }
  std::string spec;
  AppendBytesField(spec, PredictResponse::kModelSpecFieldNumber, WriteModelSpec(target_, called));
  response_.push_back(BufferOf(std::move(spec)));
  return absl::OkStatus();
}

}  // namespace signet::tf
