#include "server/protocols/json/profile_call.h"

#include <utility>

#include "server/protocols/json/model_json.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

OrderedJson EdgeJson(const ProfiledEdge& edge) {
  return {{"edge", edge.slot},
          {"type", TensorType(edge.dtype, edge.shape).ToString()},
          {"bytes", edge.bytes}};
}

OrderedJson EdgesJson(const std::vector<ProfiledEdge>& edges) {
  OrderedJson out = OrderedJson::array();
  for (const ProfiledEdge& edge : edges) out.push_back(EdgeJson(edge));
  return out;
}

// Plans are nested as deeply as the branches and loops of a model, which its reader limits.
OrderedJson PlanJson(const RunProfile& profile, size_t index) {
  const ProfiledPlan& plan = profile.plans()[index];
  OrderedJson nodes = OrderedJson::array();
  for (const ProfiledNode& node : plan.nodes) {
    OrderedJson entry = {{"op", node.op}};
    if (!node.attributes.empty()) entry["attributes"] = node.attributes;
    entry["inputs"] = node.inputs;
    entry["outputs"] = EdgesJson(node.outputs);
    entry["runs"] = node.runs;
    entry["nanoseconds"] = node.nanoseconds;
    entry["estimated_nanoseconds"] = node.estimated_nanoseconds;
    for (size_t body : node.bodies) entry["bodies"].push_back(PlanJson(profile, body));
    nodes.push_back(std::move(entry));
  }
  return {{"inputs", EdgesJson(plan.inputs)}, {"constants", EdgesJson(plan.constants)},
          {"results", plan.results},          {"runs", plan.runs},
          {"nanoseconds", plan.nanoseconds},  {"nodes", std::move(nodes)}};
}

}  // namespace

StatusOr<CallRequest> ProfileCallProtocol::Read(const HttpRequest& request,
                                                const Access& access) const {
  SIGNET_ASSIGN_OR_RETURN(CallRequest call, JsonCallProtocol::Read(request, access));
  call.result_format = {.format = DataFormat::kJson};
  return call;
}

StatusOr<HttpResponse> ProfileCallProtocol::Write(const HttpRequest& request,
                                                  CallOutput output) const {
  SIGNET_ASSIGN_OR_RETURN(HttpResponse response,
                          JsonCallProtocol::Write(request, std::move(output)));
  OrderedJson plan = profile_.plans().empty() ? OrderedJson() : PlanJson(profile_, 0);
  response.body.insert(response.body.begin(), Buffer::Copy("{\"result\":"));
  response.body.push_back(Buffer::Copy(
      Cat(",\"plan\":", plan.dump(-1, ' ', false, OrderedJson::error_handler_t::replace), "}\n")));
  return response;
}

}  // namespace signet
