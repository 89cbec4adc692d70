#include "core/model/native/references.h"

#include <algorithm>
#include <charconv>

#include "core/model/native/bracket_keys.h"
#include "core/model/native/limits.h"
#include "core/model/native/literal_value.h"
#include "core/types/identifier.h"

namespace signet {
namespace {

bool IsNumber(std::string_view text) {
  return text.find_first_not_of("0123456789") == std::string_view::npos;
}

StatusOr<int> ReadOutput(const GraphEdge& base, std::string_view digits) {
  int output = -1;
  auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), output);
  bool is_number = error == std::errc() && stop == digits.data() + digits.size();
  if (!is_number || output < 0 || output > kMaxNodeOutput) {
    return InvalidArgument("expected an output from 0 to ", kMaxNodeOutput, ", found `",
                           Printable(digits), "`");
  }
  if (base.kind != GraphEdge::Kind::kNode && output != 0) {
    return InvalidArgument("expected a node before output ", output,
                           "; parameters and captures have no outputs");
  }
  return output;
}

}  // namespace

References::References(const Captures& captures, GraphBuilder& build)
    : captures_(captures), build_(build) {}

StatusOr<GraphEdge> References::Resolve(std::string_view text) {
  if (text.empty()) return InvalidArgument("expected a reference, found an empty text");
  if (text.size() > kMaxReferenceLength) {
    return InvalidArgument("a reference of ", text.size(), " characters exceeds the limit of ",
                           kMaxReferenceLength);
  }
  auto known = resolved_.find(absl::string_view(text.data(), text.size()));
  if (known != resolved_.end()) return known->second;
  SIGNET_ASSIGN_OR_RETURN(GraphEdge edge, ResolveNew(text));
  resolved_.emplace(std::string(text), edge);
  return edge;
}

StatusOr<GraphEdge> References::ResolveNew(std::string_view text) {
  size_t head_end = std::min(text.find_first_of(".:["), text.size());
  const std::optional<GraphEdge> head = build_.Lookup(text.substr(0, head_end));
  if (head_end < text.size() && HasCapture(text)) {
    if (!head) return build_.AddCapture(text);
    return InvalidArgument("`", Printable(text), "` is ambiguous: it is a capture, and a part of `",
                           text.substr(0, head_end), "`; rename one of them");
  }
  if (head) return ResolveParts(*head, text, head_end);
  // Find the longest prefix that is a capture. The rest of the text names parts of it.
  size_t end = text.size();
  for (int parts = 0; parts <= kMaxReferenceDepth && end != std::string_view::npos && end > 0;
       ++parts) {
    if (HasCapture(text.substr(0, end))) {
      return ResolveParts(build_.AddCapture(text.substr(0, end)), text, end);
    }
    end = text.find_last_of(".[", end - 1);
  }
  return ResolveValue(text);
}

bool References::HasCapture(std::string_view name) const {
  return captures_.contains(absl::string_view(name.data(), name.size()));
}

StatusOr<GraphEdge> References::ResolveValue(std::string_view text) {
  auto value = ParseLiteralValue(text);
  if (value.ok()) return build_.AddLiteral(*std::move(value));
  // `x` and `x.a:1` are names that do not exist. Any other text is parsed as a value.
  bool is_name = !LooksLikeValue(text) && text.find_first_of(" []{}(),") == std::string_view::npos;
  if (!is_name) return At(Cat("`", Printable(text), "`"), value.status());
  if (std::count(text.begin(), text.end(), '.') > kMaxReferenceDepth) {
    return InvalidArgument("a reference exceeds the limit of ", kMaxReferenceDepth, " points");
  }
  std::vector<std::string> names;
  for (std::string& name : build_.Names()) {
    if (IsIdentifier(name)) names.push_back(std::move(name));  // a part is not a name by itself
  }
  for (const auto& [name, capture] : captures_) names.push_back(name);
  return NotFound("parameter, node, or capture `", Printable(text),
                  "` not found; available: ", ListNames(std::move(names)));
}

// Resolves the parts in `text` from `end` on, which follow `base`: an output, fields, and brackets.
StatusOr<GraphEdge> References::ResolveParts(GraphEdge base, std::string_view text, size_t end) {
  GraphEdge edge = base;
  if (end < text.size() && text[end] == ':') {
    size_t stop = std::min(text.find_first_of(".[", end), text.size());
    SIGNET_ASSIGN_OR_RETURN(edge.output, ReadOutput(base, text.substr(end + 1, stop - end - 1)));
    end = stop;
  }
  for (int depth = 0; end < text.size(); ++depth) {
    if (depth == kMaxReferenceDepth) {
      return InvalidArgument("a reference exceeds the limit of ", kMaxReferenceDepth,
                             " points and brackets");
    }
    if (text[end] == '[') {
      auto keys = ReadBracketKeys(text.substr(end));
      if (!keys.ok()) return At(Cat("`", Printable(text.substr(end)), "`"), keys.status());
      end += keys->size;
      SIGNET_ASSIGN_OR_RETURN(edge, ItemOfEdge(edge, *keys, text.substr(0, end)));
    } else if (text[end] == '.') {
      size_t stop = std::min(text.find_first_of(".[", end + 1), text.size());
      std::string_view field = text.substr(end + 1, stop - end - 1);
      if (field.empty())
        return InvalidArgument("`", Printable(text),
                               "`: expected the name of a field, found an empty text");
      SIGNET_ASSIGN_OR_RETURN(edge, FieldOfEdge(edge, field, text.substr(0, stop)));
      end = stop;
    } else {
      return InvalidArgument("expected `.` or `[` after `", Printable(text.substr(0, end)),
                             "`, found `", Printable(text.substr(end)), "`");
    }
  }
  return edge;
}

StatusOr<GraphEdge> References::FieldOfEdge(const GraphEdge& edge, std::string_view field,
                                            std::string_view name) {
  if (!IsNumber(field)) {
    return AddPart(name, "struct_get", {edge}, Attributes({{"field", AttributeOf(field)}}));
  }
  SIGNET_ASSIGN_OR_RETURN(Value index, ParseLiteralValue(field));
  return AddPart(name, "get_item", {edge}, Attributes({{"key", index.spec()}}));
}

StatusOr<GraphEdge> References::ItemOfEdge(const GraphEdge& edge, const BracketKeys& keys,
                                           std::string_view name) {
  std::vector<GraphEdge> inputs = {edge};
  for (const std::string& reference : keys.references) {
    SIGNET_ASSIGN_OR_RETURN(GraphEdge input, Resolve(reference));
    inputs.push_back(input);
  }
  return AddPart(name, "get_item", std::move(inputs),
                 Attributes({{"key", AttributeOf(std::span(keys.keys))}}));
}

StatusOr<GraphEdge> References::AddPart(std::string_view name, std::string_view op,
                                        std::vector<GraphEdge> inputs, Attributes attributes) {
  auto known = resolved_.find(absl::string_view(name.data(), name.size()));
  if (known != resolved_.end()) return known->second;
  if (build_.num_nodes() >= kMaxNodes) {
    return InvalidArgument("nodes and references to fields exceed the limit of ", kMaxNodes,
                           " nodes");
  }
  const GraphEdge part = build_.AddNode(name, op, std::move(inputs), std::move(attributes));
  SIGNET_RETURN_IF_ERROR(build_.status());
  resolved_.emplace(std::string(name), part);
  return part;
}

}  // namespace signet
