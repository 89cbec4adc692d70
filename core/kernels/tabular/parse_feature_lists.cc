// The kernel of `parse_feature_lists`.
//
// A parser of untrusted input. Each message is read twice: first, the place of each feature list is
// found, and its steps and values are counted; then they are written.

#include <vector>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/example_fields.h"
#include "core/kernels/tabular/tabular_kernels.h"

namespace signet {
namespace {

// The bytes of a FeatureList, and whether the message has it.
struct ListPlace {
  std::string_view bytes = {};
  bool is_present = false;
};

// The outputs of one feature.
struct ListOutputs {
  FeatureColumn values = {};
  int64_t* step_splits = nullptr;
  int64_t* row_splits = nullptr;
  bool* present = nullptr;
};

class FeatureListsKernel final : public Kernel {
 public:
  explicit FeatureListsKernel(WantedFeatures wanted) : wanted_(std::move(wanted)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    const int64_t rows = x.num_elements();
    std::vector<ListOutputs> outputs(wanted_.size());
    for (size_t i = 0; i < wanted_.size(); ++i) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(4 * i + 2, {rows + 1}));
      SIGNET_ASSIGN_OR_RETURN(Tensor * present, context.Allocate(4 * i + 3, {rows}));
      outputs[i].row_splits = splits->mutable_elements<int64_t>();
      outputs[i].present = present->mutable_elements<bool>();
      outputs[i].row_splits[0] = 0;
    }
    StopPoll poll(context);
    std::vector<ListPlace> places(wanted_.size());
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(FindLists(poll, x.string_at(row), row, places));
      for (size_t i = 0; i < wanted_.size(); ++i) {
        SIGNET_RETURN_IF_ERROR(Count(row, i, places[i], outputs[i]));
      }
    }
    for (size_t i = 0; i < wanted_.size(); ++i) {
      ListOutputs& out = outputs[i];
      SIGNET_ASSIGN_OR_RETURN(Tensor * splits,
                              context.Allocate(4 * i + 1, {out.row_splits[rows] + 1}));
      out.step_splits = splits->mutable_elements<int64_t>();
      *out.step_splits = 0;
      SIGNET_RETURN_IF_ERROR(out.values.Allocate(context, 4 * i, wanted_.dtypes[i]));
    }
    for (int64_t row = 0; row < rows; ++row) {
      SIGNET_RETURN_IF_ERROR(FindLists(poll, x.string_at(row), row, places));
      for (size_t i = 0; i < wanted_.size(); ++i) Write(places[i], outputs[i]);
    }
    return absl::OkStatus();
  }

 private:
  static Status NoSequence(int64_t row) {
    return WithConstraint(
        "C3",
        InvalidArgument("row ", row, ": expected a serialized tensorflow.SequenceExample, found ",
                        "bytes that do not parse"));
  }

  // Finds the feature lists of one message.
  Status FindLists(StopPoll& poll, std::string_view message, int64_t row,
                   std::vector<ListPlace>& places) const {
    SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
    std::fill(places.begin(), places.end(), ListPlace());
    ProtoFields example(message);
    while (example.Next()) {
      if (example.number() != 2 || !example.is_bytes()) continue;
      ProtoFields lists(example.bytes());
      while (lists.Next()) {
        if (lists.number() != 1 || !lists.is_bytes()) continue;
        std::string_view key;
        std::string_view list;
        if (!ReadMapEntry(lists.bytes(), key, list)) return NoSequence(row);
        const size_t known = wanted_.IndexOf(key);
        if (known != wanted_.size()) places[known] = {list, true};
      }
      if (lists.failed()) return NoSequence(row);
    }
    return example.failed() ? NoSequence(row) : absl::OkStatus();
  }

  // Counts the steps and the values of list `i` in one message, and checks them.
  Status Count(int64_t row, size_t i, const ListPlace& place, ListOutputs& out) const {
    const FeatureKind wanted = KindOfFeature(wanted_.dtypes[i]);
    int64_t num_steps = 0;
    ProtoFields steps(place.bytes);
    while (steps.Next()) {
      if (steps.number() != 1 || !steps.is_bytes()) continue;
      int kind;
      if (!ReadFeatureKind(steps.bytes(), kind)) return NoSequence(row);
      if (kind != kAbsentFeature && kind != wanted) {
        return WithConstraint(
            "C3", InvalidArgument("row ", row, ": feature list `", Printable(wanted_.names[i]),
                                  "`: step ", num_steps, ": expected ", NameOfFeatureKind(wanted),
                                  ", found ", NameOfFeatureKind(kind)));
      }
      ++num_steps;
      const bool is_feature = VisitValues(
          steps.bytes(), kind, [&](uint64_t, std::string_view text) { out.values.Count(text); });
      if (!is_feature) return NoSequence(row);
    }
    if (steps.failed()) return NoSequence(row);
    out.row_splits[row + 1] = out.row_splits[row] + num_steps;
    out.present[row] = place.is_present;
    return absl::OkStatus();
  }

  // Writes the steps and the values of a list in one message, which Count has accepted.
  static void Write(const ListPlace& place, ListOutputs& out) {
    ProtoFields steps(place.bytes);
    while (steps.Next()) {
      if (steps.number() != 1 || !steps.is_bytes()) continue;
      int kind;
      ReadFeatureKind(steps.bytes(), kind);
      VisitValues(steps.bytes(), kind,
                  [&](uint64_t bits, std::string_view text) { out.values.Append(bits, text); });
      *++out.step_splits = out.values.num_values();
    }
  }

  const WantedFeatures wanted_;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseFeatureLists(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(WantedFeatures wanted, WantedFeatures::Of(request, 4));
  return std::make_unique<FeatureListsKernel>(std::move(wanted));
}

constexpr KernelDef kParseFeatureListsKernels[] = {{"parse_feature_lists", MakeParseFeatureLists}};

}  // namespace

std::span<const KernelDef> ParseFeatureListsKernels() { return kParseFeatureListsKernels; }

}  // namespace signet
