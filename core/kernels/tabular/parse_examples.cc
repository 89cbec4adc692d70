// The kernel of `parse_examples`.
//
// A parser of untrusted input. Each message is read twice: first, the place of each feature is
// found and its values are counted; then the values are written.

#include <cstring>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/kernels/def/request.h"
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
  ExamplesKernel(std::vector<std::string> names, std::vector<DType> dtypes)
      : names_(std::move(names)), dtypes_(std::move(dtypes)) {
    for (size_t i = 0; i < names_.size(); ++i) indices_.emplace(names_[i], i);
  }

  Status Run(KernelContext& context) const override {
    const Tensor& x = context.input(0);
    const int64_t rows = x.num_elements();
    const size_t count = names_.size();
    std::vector<int64_t*> splits(count);
    std::vector<bool*> present(count);
    std::vector<int64_t> num_bytes(count, 0);
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
        int64_t number = 0;
        const bool is_message =
            VisitValues(places[i].bytes, places[i].kind, [&](uint64_t, std::string_view text) {
              ++number;
              num_bytes[i] += static_cast<int64_t>(text.size());
            });
        if (!is_message) return NoExample(row);
        splits[i][row + 1] = splits[i][row] + number;
        present[i][row] = places[i].kind != kAbsentFeature;
      }
    }
    std::vector<Tensor*> values(count);
    std::vector<int64_t> written(count, 0);  // bytes of text
    for (size_t i = 0; i < count; ++i) {
      const Shape shape = {splits[i][rows]};
      if (dtypes_[i] == DType::kString) {
        SIGNET_ASSIGN_OR_RETURN(
            values[i], context.AllocateStrings(3 * i, shape, static_cast<size_t>(num_bytes[i])));
        values[i]->mutable_elements<int64_t>()[0] = 0;
      } else {
        SIGNET_ASSIGN_OR_RETURN(values[i], context.Allocate(3 * i, shape));
      }
    }
    for (int64_t row = 0; row < rows; ++row) {
      const std::string_view message = x.string_at(row);
      SIGNET_RETURN_IF_ERROR(poll.Spend(50 + 2 * static_cast<int64_t>(message.size())));
      SIGNET_RETURN_IF_ERROR(Find(message, row, places));
      for (size_t i = 0; i < count; ++i) {
        int64_t at = splits[i][row];
        VisitValues(places[i].bytes, places[i].kind, [&](uint64_t bits, std::string_view text) {
          if (dtypes_[i] == DType::kInt64) {
            values[i]->mutable_elements<int64_t>()[at++] = static_cast<int64_t>(bits);
          } else if (dtypes_[i] == DType::kFloat32) {
            const auto word = static_cast<uint32_t>(bits);
            std::memcpy(values[i]->mutable_elements<float>() + at++, &word, sizeof word);
          } else {
            auto* bytes = const_cast<std::byte*>(values[i]->bytes().data());
            if (!text.empty()) std::memcpy(bytes + written[i], text.data(), text.size());
            written[i] += static_cast<int64_t>(text.size());
            values[i]->mutable_elements<int64_t>()[++at] = written[i];
          }
        });
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
        auto known = indices_.find(absl::string_view(key.data(), key.size()));
        if (known == indices_.end()) continue;
        FeaturePlace& place = places[known->second];
        place = {feature};
        if (!ReadFeatureKind(feature, place.kind)) return NoExample(row);
        const int wanted = KindOfFeature(dtypes_[known->second]);
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

  const std::vector<std::string> names_;
  const std::vector<DType> dtypes_;
  absl::flat_hash_map<std::string, size_t> indices_;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseExamples(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto names, request.call.attributes.Strings("features"));
  std::vector<DType> dtypes;
  for (size_t i = 0; i < names.size(); ++i) dtypes.push_back(DTypeIn(request.outputs[3 * i]));
  return std::make_unique<ExamplesKernel>(std::move(names), std::move(dtypes));
}

constexpr KernelDef kParseExamplesKernels[] = {{"parse_examples", MakeParseExamples}};

}  // namespace

std::span<const KernelDef> ParseExamplesKernels() { return kParseExamplesKernels; }

}  // namespace signet
