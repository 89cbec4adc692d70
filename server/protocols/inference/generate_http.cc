#include "server/protocols/inference/generate_http.h"

#include <utility>

#include <absl/container/flat_hash_map.h>

#include "core/formats/inference/generate_json.h"
#include "core/serving/call/bind.h"
#include "core/serving/flat/flat_signature.h"
#include "server/call/await_model.h"
#include "server/protocols/http/http_call.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/inference_api.h"

namespace signet {
namespace {

DType DTypeOfValue(const GenerateValue& value) {
  if (value.first == '"') return DType::kString;
  if (value.first == 't' || value.first == 'f') return DType::kBool;
  return value.has_fraction ? DType::kFloat64 : DType::kInt64;
}

// Returns the dtype of the two parts of a complex number.
DType PartDType(DType dtype) {
  return dtype == DType::kComplex64 ? DType::kFloat32 : DType::kFloat64;
}

// Returns the tensor for lists of lists, whose shape is their own.
StatusOr<GenerateInput> FitLists(const FlatTensor& tensor, const GenerateValue& value,
                                 GenerateInput input) {
  Dims dims = value.dims;
  bool fits = true;
  if (IsComplex(input.dtype)) {
    input.dtype = PartDType(input.dtype);
    fits = dims.back() == 2;
    dims.pop_back();
  }
  const PartialShape found{std::span<const int64_t>(dims)};
  if (fits && found.IsSubtypeOf(tensor.shape)) {
    input.dims = value.dims;
    return input;
  }
  return InvalidArgument("input `", Printable(tensor.name), "`: expected lists of the shape ",
                         tensor.shape.ToString(), ", or one list of all elements, found ",
                         found.ToString());
}

StatusOr<GenerateInput> FitValue(const FlatTensor& tensor, const GenerateValue& value) {
  GenerateInput out{.dtype = tensor.dtype.value_or(DTypeOfValue(value))};
  if (!value.dims.empty()) return FitLists(tensor, value, std::move(out));
  if (!tensor.shape.has_rank()) {
    if (value.is_list) out.dims.push_back(value.num_elements);
    return out;
  }
  const auto known = tensor.shape.dims();
  out.dims.assign(known.begin(), known.end());
  if (IsComplex(out.dtype)) {
    out.dtype = PartDType(out.dtype);
    out.dims.push_back(2);
  }
  int64_t left = value.num_elements;
  auto failed = [&] {
    return InvalidArgument("input `", Printable(tensor.name), "`: expected elements for the shape ",
                           tensor.shape.ToString(), ", found ", value.num_elements);
  };
  for (int64_t dim : out.dims) {
    if (dim == kUnknownDim) continue;
    if (dim == 0 || left % dim != 0) return failed();
    left /= dim;
  }
  for (size_t axis = out.dims.size(); axis-- > 0;) {
    if (out.dims[axis] == kUnknownDim) out.dims[axis] = std::exchange(left, 1);
  }
  if (left != 1) return failed();
  return out;
}

// The inputs of a function, by name.
class InputIndex {
 public:
  // `signature` must outlive this object.
  explicit InputIndex(const FlatSignature& signature) {
    for (const FlatParameter& parameter : signature.parameters) {
      if (parameter.is_variadic) continue;
      for (const FlatTensor& tensor : parameter.tensors) tensors_.emplace(tensor.name, &tensor);
      tensors_.emplace(parameter.name, nullptr);
    }
  }

  StatusOr<std::optional<GenerateInput>> Find(std::string_view name,
                                              const GenerateValue& value) const {
    auto found = tensors_.find(name);
    if (found == tensors_.end()) return std::nullopt;
    if (found->second == nullptr) return GenerateInput{.is_json = true};
    return FitValue(*found->second, value);
  }

 private:
  // Null for the name of a parameter that is not a tensor.
  absl::flat_hash_map<std::string_view, const FlatTensor*> tensors_;
};

// An object serves one call.
class GenerateProtocol final : public HttpCallProtocol {
 public:
  GenerateProtocol(const ServerContext& server, std::string model, std::string version,
                   bool is_stream)
      : server_(server),
        model_(std::move(model)),
        version_(std::move(version)),
        is_stream_(is_stream) {}

  StatusOr<CallRequest> Read(const HttpRequest& request, const Access& access) const override {
    SIGNET_ASSIGN_OR_RETURN(InferTarget target, ParseInferTarget(model_, version_));
    SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kCall, target.model));
    CallRequest wanted;
    wanted.model = std::move(target.model);
    wanted.version = target.version;
    wanted.function = std::move(target.function);
    wanted.tensors.emplace();
    SIGNET_ASSIGN_OR_RETURN(called_, FindCalledFunction(server_.repository, wanted));
    const FlatSignature signature = FlatSignatureOf(*called_->function);
    const InputIndex inputs(signature);
    auto find = [&](std::string_view name, const GenerateValue& value) {
      return inputs.Find(name, value);
    };
    SIGNET_ASSIGN_OR_RETURN(request_, ParseGenerateJson(request.body, find, server_.limits));
    request_.model = model_;
    request_.version = version_;
    return CallOfRequest(request_);
  }
  std::optional<CalledFunction> FunctionOfCall() const override { return called_; }

  StatusOr<HttpResponse> Write(const HttpRequest& /*request*/, CallOutput output) const override {
    SIGNET_ASSIGN_OR_RETURN(InferResponse message,
                            ResponseOfCall(request_, output, nullptr, server_.limits));
    SIGNET_ASSIGN_OR_RETURN(std::string json, WriteGenerateJson(message, server_.limits));
    HttpResponse response;
    response.content_type = is_stream_ ? "text/event-stream; charset=utf-8" : "application/json";
    if (is_stream_) json = Cat("data: ", json, "\n\n");
    response.body = {Buffer::Copy(json)};
    response.may_compress = !is_stream_;
    return response;
  }
  HttpResponse Fail(const HttpRequest& /*request*/, const Status& status) const override {
    return InferenceErrorResponse(InferCallErrorOf(status, request_.parameters, model_, version_));
  }
  const char* name() const override { return "HTTP generate"; }

 private:
  const ServerContext& server_;
  const std::string model_;
  const std::string version_;
  const bool is_stream_;
  // Written by Read.
  mutable std::optional<CalledFunction> called_;
  mutable InferRequest request_;  // without its inputs
};

}  // namespace

void StartGenerateCall(ServerContext& server, const std::shared_ptr<HttpExchange>& exchange,
                       const std::string& model, const std::string& version, bool is_stream) {
  auto start = [&server, exchange, model, version, is_stream] {
    StartHttpCall(server, exchange,
                  std::make_shared<GenerateProtocol>(server, model, version, is_stream));
  };
  // A caller who may not call the model does not cause it to be loaded.
  auto access = AuthenticateHttp(server, exchange->request());
  auto target = ParseInferTarget(model, version);
  if (!access.ok() || !target.ok() || !access->Permits(Rpc::kCall, target->model)) return start();
  auto found = server.repository.Find(target->model, target->version);
  if (!IsLoadedOnDemand(found.status())) return start();
  auto deadline = HttpDeadline(exchange->request());
  if (!deadline.ok()) return start();  // responds with the error
  AwaitModel(server, target->model, target->version, "", *deadline,
             [exchange, start, model, version](const Status& loaded) {
               if (loaded.ok()) return start();
               exchange->Respond(InferenceErrorResponse(InferErrorOf(loaded, model, version)));
             });
}

}  // namespace signet
