// Indexing: getitem.

#include "signet/index_key.h"
#include "signet/literal_spec.h"
#include "signet/sequence_spec.h"
#include "tests/conformance/structured/table.h"
#include "tests/conformance/structured/three_ways.h"

namespace signet::structured_vectors {
namespace {

TypeSpec KeyOf(const Json& json) {
  if (!json.is_object()) return ToAttribute(json);
  if (json.contains("slice")) {
    std::vector<TypeSpec> bounds;
    for (const Json& bound : json.at("slice")) bounds.push_back(ToAttribute(bound));
    return TupleType(std::move(bounds));
  }
  IndexKey key = EllipsisKey{};
  if (json.contains("newaxis")) key = NewAxisKey{};
  return AttributeOf(std::span<const IndexKey>(&key, 1)).children()[0];
}

StatusOr<Answer> GetItem(const Case& one) {
  std::vector<TypeSpec> keys;
  for (const Json& key : one.arg("key")) keys.push_back(KeyOf(key));
  return RunThreeWays("get_item", {one.value("value")},
                      Attributes({{"key", ListType(std::move(keys))}}));
}

constexpr OpRow kOps[] = {
    {"getitem", GetItem},
};

}  // namespace

std::span<const OpRow> IndexOps() { return kOps; }

}  // namespace signet::structured_vectors
