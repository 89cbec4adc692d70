#include "tests/conformance/mutation.h"

namespace signet::vectors {
namespace {

size_t Pick(size_t count, std::mt19937& random) { return random() % count; }

// Every part of `json`, itself first.
void FindParts(Json& json, std::vector<Json*>& out) {
  out.push_back(&json);
  if (!json.is_structured()) return;
  for (auto& part : json) FindParts(part, out);
}

Json AnyValue(std::mt19937& random, int depth = 0) {
  const Json simple[] = {nullptr,
                         true,
                         0,
                         1,
                         -1,
                         2,
                         3,
                         255,
                         int64_t{1} << 31,
                         INT64_MIN,
                         UINT64_MAX,
                         1.5,
                         -0.0,
                         1e300,
                         "",
                         "a",
                         "a.b[0]",
                         "int32",
                         "string",
                         "structured",
                         "sparse",
                         "\x1",
                         "é",
                         Json::array(),
                         Json::object()};
  size_t choice = Pick(std::size(simple) + (depth < 3 ? 6 : 0), random);
  if (choice < std::size(simple)) return simple[choice];
  Json out = choice % 2 == 0 ? Json::array() : Json::object();
  for (size_t i = Pick(4, random); i > 0; --i) {
    Json element = AnyValue(random, depth + 1);
    if (out.is_array()) {
      out.push_back(std::move(element));
    } else {
      const char* names[] = {"leaf", "dict", "list", "int", "custom", "kind", "value", "shape", ""};
      out[names[Pick(std::size(names), random)]] = std::move(element);
    }
  }
  return out;
}

void RemovePart(Json& parent, size_t i) {
  if (parent.is_array()) {
    parent.erase(i);
  } else {
    auto item = parent.begin();
    std::advance(item, static_cast<std::ptrdiff_t>(i));
    parent.erase(item.key());
  }
}

void Mutate(Json& json, std::mt19937& random) {
  std::vector<Json*> parts;
  FindParts(json, parts);
  Json& part = *parts[Pick(parts.size(), random)];
  size_t choice = Pick(5, random);
  if (choice == 0 && part.is_structured() && !part.empty()) {
    RemovePart(part, Pick(part.size(), random));
  } else if (choice == 1 && part.is_array() && !part.empty()) {
    part.push_back(Json(part.at(Pick(part.size(), random))));
  } else if (choice == 2) {
    part = Json(*parts[Pick(parts.size(), random)]);
  } else if (choice == 3 && part.is_object() && !part.empty()) {
    Json moved = part.begin().value();
    RemovePart(part, 0);
    part["x"] = std::move(moved);
  } else {
    part = AnyValue(random);
  }
}

}  // namespace

Json Mutated(const Json& json, std::mt19937& random) {
  Json out = json;
  for (size_t i = Pick(4, random) + 1; i > 0; --i) Mutate(out, random);
  return out;
}

}  // namespace signet::vectors
