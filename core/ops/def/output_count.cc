#include "core/ops/def/output_count.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace signet {
namespace {

struct OutputCount {
  std::string_view op;
  size_t most;
};

// Ops with more than one output, sorted. A test compares the table with the cases of all ops.
constexpr OutputCount kCounts[] = {
    {"clip_slice", 2},
    {"cross_rows", 3},
    {"cut_entries", 2},
    {"cut_row_splits", 3},
    {"dynamic_quantize", 3},
    {"fill_rows", 3},
    {"gather_row_splits", 2},
    {"group_order", 2},
    {"gru", 2},
    {"interleave_rows", 2},
    {"linear_attention", 2},
    {"lstm", 3},
    {"max_pool", 2},
    {"overlay_rows", 2},
    {"rnn", 2},
    {"row_ranges", 2},
    {"segment_sort", 3},
    {"segment_top_k", 2},
    {"slice_row_values", 2},
    {"slice_rows", 2},
    {"sort", 2},
    {"sparse_components", 3},
    {"sparse_fill_empty_rows", 2},
    {"sparse_window", 2},
    {"split_text", 2},
    {"tile_rows", 2},
    {"tokenize_text", 2},
    {"top_k", 2},
    {"unique", 4},
};

// Ops whose number of outputs depends on their attributes and on types.
constexpr std::string_view kOpen[] = {"apply", "split", "unstack"};

}  // namespace

std::optional<size_t> MaxOutputs(const OpDef& op, size_t num_inputs) {
  switch (op.control) {
    case Control::kCall:
    case Control::kCond:
    case Control::kCase:
    case Control::kMap:
    case Control::kReduce:
      return 1;
    case Control::kScan:
      return 2;
    case Control::kWhile:
      return num_inputs;  // its variables
    case Control::kLoop:
    case Control::kMapFields:
      return std::nullopt;
    case Control::kNone:
      break;
  }
  // The operators of ONNX are expansions, so their outputs depend on the types of the inputs.
  const bool is_open = std::find(std::begin(kOpen), std::end(kOpen), op.name) != std::end(kOpen);
  if (is_open || op.name.starts_with("onnx.")) return std::nullopt;
  const auto* found = std::find_if(std::begin(kCounts), std::end(kCounts),
                                   [&](const OutputCount& count) { return count.op == op.name; });
  return found == std::end(kCounts) ? 1 : found->most;
}

}  // namespace signet
