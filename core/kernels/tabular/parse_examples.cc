// The kernel of `parse_examples`.
//
// A parser of untrusted input. Each message is read twice: first, the place of each feature is
// found and its values are counted; then the values are written.

#include <vector>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/tabular/example_fields.h"
#include "core/kernels/tabular/tabular_kernels.h"

namespace signet {
namespace {

// The bytes of a Feature, and the kind of its last list.
struct FeaturePlace {
  std::string_view bytes = {};
  int kind = kAbsentFeature;
};

class ExamplesKernel final : public Kernel {
 public:
  explicit ExamplesKernel(WantedFeatures wanted) : wanted_(std::move(wanted)) {}

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int64_t rows = x.num_elements();
    const size_t count = wanted_.size();
    std::vector<int64_t*> splits(count);
    std::vector<bool*> present(count);
    std::vector<FeatureColumn> columns(count);
    for (size_t i = 0; i < count; ++i) {
      SIGNET_ASSIGN_OR_RETURN(Tensor * split, context.Allocate(3 * i + 1, {rows + 1}));
      SIGNET_ASSIGN_OR_RETURN(Tensor * has, context.Allocate(3 * i + 2, {rows}));
      splits[i] = split->mutable_elements<int64_t>();
      present[i] = has->mutable_elements<bool>();
      splits[i][0] = 0;
    }
    StopPoll poll(context);
    std::vector<FeaturePlace> places(count);
    for (int64_t row = 0; row < rows; ++row) {
      const std::string_view message = x.string_at(row);
      SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
      SIGNET_RETURN_IF_ERROR(Find(message, row, places));
      for (size_t i = 0; i < count; ++i) {
        const bool is_message =
            VisitValues(places[i].bytes, places[i].kind,
                        [&](uint64_t, std::string_view text) { columns[i].Count(text); });
        if (!is_message) return NoExample(row);
        splits[i][row + 1] = columns[i].num_values();
        present[i][row] = places[i].kind != kAbsentFeature;
      }
    }
    for (size_t i = 0; i < count; ++i) {
      SIGNET_RETURN_IF_ERROR(columns[i].Allocate(context, 3 * i, wanted_.dtypes[i]));
    }
    for (int64_t row = 0; row < rows; ++row) {
      const std::string_view message = x.string_at(row);
      SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
      SIGNET_RETURN_IF_ERROR(Find(message, row, places));
      for (size_t i = 0; i < count; ++i) {
        VisitValues(places[i].bytes, places[i].kind,
                    [&](uint64_t bits, std::string_view text) { columns[i].Append(bits, text); });
      }
    }
    return absl::OkStatus();
  }

 private:
  static Status NoExample(int64_t row) {
    return WithConstraint("C3", InvalidArgument("row ", row,
                                                ": expected a serialized tensorflow.Example, found "
                                                "bytes that do not parse"));
  }

  // Finds the features of one message.
  Status Find(std::string_view message, int64_t row, std::vector<FeaturePlace>& places) const {
    std::fill(places.begin(), places.end(), FeaturePlace());
    ProtoFields example(message);
    while (example.Next()) {
      if (example.number() != 1 || !example.is_bytes()) continue;
      ProtoFields features(example.bytes());
      while (features.Next()) {
        if (features.number() != 1 || !features.is_bytes()) continue;
        std::string_view key;
        std::string_view feature;
        if (!ReadMapEntry(features.bytes(), key, feature)) return NoExample(row);
        const size_t known = wanted_.IndexOf(key);
        if (known == wanted_.size()) continue;
        FeaturePlace& place = places[known];
        place = {feature};
        if (!ReadFeatureKind(feature, place.kind)) return NoExample(row);
        const int wanted = KindOfFeature(wanted_.dtypes[known]);
        if (place.kind != kAbsentFeature && place.kind != wanted) {
          return WithConstraint(
              "C3", InvalidArgument("row ", row, ": feature `", Printable(std::string(key)),
                                    "`: expected ", NameOfFeatureKind(wanted), ", found ",
                                    NameOfFeatureKind(place.kind)));
        }
      }
      if (features.failed()) return NoExample(row);
    }
    return example.failed() ? NoExample(row) : absl::OkStatus();
  }

  const WantedFeatures wanted_;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseExamples(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(WantedFeatures wanted, WantedFeatures::Of(request, 3));
  return std::make_unique<ExamplesKernel>(std::move(wanted));
}

constexpr KernelDef kParseExamplesKernels[] = {{"parse_examples", MakeParseExamples}};

}  // namespace

std::span<const KernelDef> ParseExamplesKernels() { return kParseExamplesKernels; }

}  // namespace signet
