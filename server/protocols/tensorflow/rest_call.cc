#include "server/protocols/tensorflow/rest_call.h"

#include <utility>

#include <nlohmann/json.hpp>

#include "core/formats/tensorflow/proto_pieces.h"
#include "core/serving/tensorflow/body_members.h"
#include "core/serving/tensorflow/examples_input.h"
#include "core/serving/tensorflow/named_outputs.h"
#include "core/serving/tensorflow/predict_json.h"
#include "core/serving/tensorflow/results.h"
#include "server/protocols/http/problem.h"

namespace signet::tf {

HttpResponse RestResponse(std::string json) {
  HttpResponse response{.content_type = "application/json"};
  response.body = {BufferOf(std::move(json))};
  return response;
}

HttpResponse RestError(const Status& status) {
  const nlohmann::json error = {{"error", std::string(MessageOf(status))}};
  HttpResponse response =
      RestResponse(error.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n");
  response.code = HttpCodeOf(status);
  if (response.code == 401) response.headers.emplace_back("WWW-Authenticate", "Bearer");
  return response;
}

StatusOr<CallRequest> RestCall::Read(const HttpRequest& request, const Access& access) const {
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kCall, target_.model));
  const NumberWords form =
      method_ == Method::kPredict ? NumberWords::kPlain : NumberWords::kEscaped;
  SIGNET_ASSIGN_OR_RETURN(BodyMembers body, BodyMembers::Parse(request.body, server_.limits, form));
  Target target = target_;
  target.signature = body.signature();
  SIGNET_ASSIGN_OR_RETURN(called_, FindFunction(server_.repository, target, method_));
  CallRequest call;
  call.model = target_.model;
  call.function = called_->function->def().name;
  if (method_ == Method::kPredict) {
    SIGNET_ASSIGN_OR_RETURN(PredictBody predict, PredictBody::Make(body));
    has_rows_ = predict.has_rows();
    SIGNET_RETURN_IF_ERROR(predict.AddArguments(*called_, server_.limits, call, shapes_));
    return call;
  }
  SIGNET_ASSIGN_OR_RETURN(Examples examples, ReadExamplesBody(body, *called_, server_.limits));
  num_examples_ = examples.rows.size();
  SIGNET_RETURN_IF_ERROR(AddExamples(*called_, std::move(examples), server_.limits, call));
  return call;
}

StatusOr<HttpResponse> RestCall::Write(const HttpRequest& /*request*/, CallOutput output) const {
  const auto& value = std::get<Value>(output.result);
  HttpResponse response;
  switch (method_) {
    case Method::kPredict: {
      SIGNET_ASSIGN_OR_RETURN(Value outputs, NamedOutputsOf(value, *called_, shapes_));
      SIGNET_ASSIGN_OR_RETURN(std::string json,
                              PredictionsToJson(outputs, has_rows_, server_.limits));
      response = RestResponse(std::move(json));
      break;
    }
    case Method::kClassify: {
      SIGNET_ASSIGN_OR_RETURN(ClassScores classes, ClassScoresOf(value, *called_, num_examples_));
      response = RestResponse(ClassScoresToJson(classes));
      break;
    }
    case Method::kRegress: {
      SIGNET_ASSIGN_OR_RETURN(auto values, RegressionsOf(value, *called_, num_examples_));
      response = RestResponse(RegressionsToJson(values));
      break;
    }
  }
  response.may_compress = true;
  return response;
}

HttpResponse RestCall::Fail(const HttpRequest& /*request*/, const Status& status) const {
  const bool is_predict = method_ == Method::kPredict && called_.has_value();
  return RestError(is_predict ? TranslateValueError(*called_, status) : status);
}

}  // namespace signet::tf
