#include "core/frontends/onnx/import/node_order.h"

#include <functional>
#include <queue>
#include <set>
#include <string_view>
#include <unordered_map>

namespace signet {
namespace {

using Nodes = google::protobuf::RepeatedPtrField<onnx::NodeProto>;

// The numbers of the nodes that `node`, or a graph within it, reads outputs of.
void AddSources(const onnx::NodeProto& node,
                const std::unordered_map<std::string_view, int>& producers, std::set<int>& out) {
  auto add = [&](const std::string& name) {
    auto found = producers.find(name);
    if (found != producers.end()) out.insert(found->second);
  };
  for (const std::string& input : node.input()) add(input);
  for (const auto& attribute : node.attribute()) {
    if (!attribute.has_g()) continue;
    for (const auto& inner : attribute.g().node()) AddSources(inner, producers, out);
    for (const auto& output : attribute.g().output()) add(output.name());
  }
}

}  // namespace

std::vector<int> NodeOrder(const Nodes& nodes) {
  std::unordered_map<std::string_view, int> producers;
  for (int i = 0; i < nodes.size(); ++i) {
    for (const std::string& output : nodes[i].output()) {
      if (!output.empty()) producers.emplace(output, i);
    }
  }
  auto count = static_cast<size_t>(nodes.size());
  std::vector<size_t> missing(count);  // how many sources do not stand in the order yet
  std::vector<std::vector<int>> readers(count);
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (int i = 0; i < nodes.size(); ++i) {
    std::set<int> sources;
    AddSources(nodes[i], producers, sources);
    missing[static_cast<size_t>(i)] = sources.size();
    for (int source : sources) readers[static_cast<size_t>(source)].push_back(i);
    if (sources.empty()) ready.push(i);
  }
  std::vector<int> order;
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for (int reader : readers[static_cast<size_t>(order.back())]) {
      if (--missing[static_cast<size_t>(reader)] == 0) ready.push(reader);
    }
  }
  for (int i = 0; i < nodes.size(); ++i) {
    if (missing[static_cast<size_t>(i)] > 0) order.push_back(i);
  }
  return order;
}

}  // namespace signet
