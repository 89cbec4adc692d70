// Kernels between strings and their parts: split_text, join_row_text.

#include "core/base/checked_math.h"
#include "core/kernels/all_kernels.h"
#include "core/kernels/row_access.h"
#include "core/kernels/write_strings.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Calls piece(part) for the parts of `text`, as str.split of Python gives them: between separators,
// which may leave empty ones, or, of an empty separator, between runs of white space. What `most`
// splits leave stays whole.
template <class Piece>
void ForEachPart(std::string_view text, std::string_view separator, int64_t most, Piece piece) {
  if (!separator.empty()) {
    for (size_t at; most > 0 && (at = text.find(separator)) != text.npos; --most) {
      piece(text.substr(0, at));
      text.remove_prefix(at + separator.size());
    }
    piece(text);
    return;
  }
  constexpr std::string_view kSpace = " \t\n\v\f\r";
  auto skip_space = [&] {
    text.remove_prefix(std::min(text.find_first_not_of(kSpace), text.size()));
  };
  for (skip_space(); !text.empty(); skip_space(), --most) {
    size_t end = most > 0 ? text.find_first_of(kSpace) : text.size();
    piece(text.substr(0, end));
    text.remove_prefix(std::min(end, text.size()));
    if (most == 0) return;
  }
}

MadeKernel MakeSplitText(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string separator, attributes.String("separator"));
  SIGNET_ASSIGN_OR_RETURN(auto max_splits, attributes.OptionalInt("max_splits"));
  return MakeKernel(
      [separator, most = max_splits.value_or(INT64_MAX)](KernelContext& context) -> Status {
        const Tensor& x = context.input(0);
        if (x.rank() != 1) {
          return InvalidArgument("C1 input 0 of shape `", x.shape(), "`; takes a vector");
        }
        SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(0, {x.num_elements() + 1}));
        auto* split = splits->mutable_elements<int64_t>();
        int64_t count = 0;
        size_t bytes = 0;
        *split++ = 0;
        for (int64_t i = 0; i < x.num_elements(); ++i) {
          ForEachPart(x.string_at(i), separator, most, [&](std::string_view part) {
            ++count;
            bytes += part.size();
          });
          *split++ = count;
        }
        const int64_t dims[] = {count};
        SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
        SIGNET_ASSIGN_OR_RETURN(Tensor * parts, context.AllocateStrings(1, Shape(dims), bytes));
        auto* offset = parts->mutable_elements<int64_t>();
        auto* out = const_cast<std::byte*>(parts->bytes().data());
        int64_t written = 0;
        *offset++ = 0;
        for (int64_t i = 0; i < x.num_elements(); ++i) {
          ForEachPart(x.string_at(i), separator, most, [&](std::string_view part) {
            if (!part.empty()) std::memcpy(out + written, part.data(), part.size());
            written += static_cast<int64_t>(part.size());
            *offset++ = written;
          });
        }
        return absl::OkStatus();
      });
}

MadeKernel MakeJoinRowText(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string separator, request.call.attributes.String("separator"));
  return MakeKernel([separator](KernelContext& context) -> Status {
    const Tensor& values = context.input(0);
    const Tensor& splits = context.input(1);
    if (values.rank() != 1) {
      return InvalidArgument("C1 input 0 of shape `", values.shape(), "`; takes a vector");
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(splits, values.num_elements()));
    // Before any of it is made.
    auto between = CheckedMultiply(values.num_elements(), static_cast<int64_t>(separator.size()));
    auto bytes = between ? CheckedAdd(*between, values.offsets().back()) : std::nullopt;
    if (!bytes || *bytes > kMaxOutputText) {
      return TooMuchText();
    }
    return WriteStrings(context, 0, {NumRows(splits)}, [&](int64_t row, std::string& text) {
      int64_t first = IntAt(splits, row);
      for (int64_t i = first; i < IntAt(splits, row + 1); ++i) {
        if (i > first) text.append(separator);
        text.append(values.string_at(i));
      }
    });
  });
}

constexpr KernelDef kKernels[] = {
    {"join_row_text", MakeJoinRowText},
    {"split_text", MakeSplitText},
};

}  // namespace

std::span<const KernelDef> TextKernels() { return kKernels; }

}  // namespace signet
