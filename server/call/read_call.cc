#include "server/call/read_call.h"

#include "core/model/call_arguments.h"
#include "server/call/call.h"

namespace signet {
namespace {

wire::ArgumentPlace PlaceOfArgument(const Repository& repository, const wire::CallRequest& read,
                                    const std::string* keyword) {
  wire::ArgumentPlace place = wire::PlaceInCall(read, keyword);
  auto model = repository.Find(read.model, read.version, read.label);
  if (!model.ok()) return place;
  auto function = (*model)->FindFunction(read.function);
  if (!function.ok()) return place;
  const FunctionDef& def = (*function)->def();
  place.function = PlaceOf(**model, def.name);
  if (keyword == nullptr) place.argument = PositionalName(def.type, read.args.size() - 1);
  return place;
}

}  // namespace

StatusOr<wire::CallRequest> ReadCall(const Serving& serving, const wire::Message& message) {
  return wire::ParseCallRequest(message, serving.limits,
                                [&](const wire::CallRequest& read, const std::string* keyword) {
                                  return PlaceOfArgument(serving.repository, read, keyword);
                                });
}

StatusOr<wire::StreamRequest> ReadStreamCall(const Serving& serving, const wire::Message& message) {
  return wire::ParseStreamRequest(message, serving.limits,
                                  [&](const wire::CallRequest& read, const std::string* keyword) {
                                    return PlaceOfArgument(serving.repository, read, keyword);
                                  });
}

}  // namespace signet
