#include "core/base/nearest_name.h"

#include <algorithm>
#include <vector>

#include "core/base/edit_distance.h"
#include "signet/status.h"

namespace signet {
namespace {

// Names from outside may be long, but a very long name is not a spelling mistake.
constexpr size_t kLongest = 64;

}  // namespace

std::optional<std::string_view> NearestName(std::string_view name,
                                            std::span<const std::string_view> names) {
  std::optional<std::string_view> nearest;
  size_t least = 0;
  if (name.size() > kLongest) return nearest;
  for (std::string_view candidate : names) {
    if (candidate.size() > kLongest) continue;
    size_t distance = EditDistance(name, candidate);
    if (distance * 3 > std::max(name.size(), candidate.size())) continue;
    if (nearest && distance >= least) continue;
    nearest = candidate;
    least = distance;
  }
  return nearest;
}

std::string NearestHint(std::string_view name, std::span<const std::string_view> names) {
  auto nearest = NearestName(name, names);
  return nearest ? Cat("; the nearest is `", *nearest, "`") : std::string();
}

std::string NearestHint(std::string_view name, std::span<const std::string> names) {
  return NearestHint(name, std::vector<std::string_view>(names.begin(), names.end()));
}

}  // namespace signet
