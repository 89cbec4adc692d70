// Types of batches.

#include <absl/strings/str_split.h>

#include "core/types/stacking.h"
#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

StatusOr<Answer> Batch(const Case& one) {
  Json size = one.arg("batch_size");
  Answer answer;
  SIGNET_ASSIGN_OR_RETURN(answer.type,
                          StackedType(ToType(one.inputs().at("type")),
                                      size.is_null() ? kUnknownDim : size.get<int64_t>()));
  return answer;
}

StatusOr<Answer> Unbatch(const Case& one) {
  Answer answer;
  SIGNET_ASSIGN_OR_RETURN(answer.type, UnstackedType(ToType(one.inputs().at("type"))));
  return answer;
}

// Paths are lists of names in cases; ours are joined by dots.
StatusOr<Answer> Layout(const Case& one) {
  Answer answer;
  answer.data["paths"] = Json::array();
  for (const std::string& path : BoxedLayout(ToType(one.inputs().at("type")))) {
    Json steps = Json::array();
    for (absl::string_view step : absl::StrSplit(path, '.', absl::SkipEmpty())) {
      steps.push_back(std::string(step));
    }
    answer.data["paths"].push_back(std::move(steps));
  }
  return answer;
}

constexpr OpRow kOps[] = {
    {"type.batch", Batch},
    {"type.boxed_layout", Layout},
    {"type.unbatch", Unbatch},
};

}  // namespace

std::span<const OpRow> BatchTypes() { return kOps; }

}  // namespace signet::structured_vectors
