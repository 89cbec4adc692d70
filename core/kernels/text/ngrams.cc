// Kernels that join words to n-grams.

#include "core/ops/text/ngrams.h"

#include <cstring>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/runs.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Calls visit(width, padding, count) for the n-grams of a row of `length` words, in their order.
template <class Visit>
void VisitWidths(const NgramRule& rule, int64_t length, Visit visit) {
  bool some = false;
  for (int64_t width : rule.widths) {
    int64_t count = rule.CountOf(length, width);
    some |= count > 0;
    visit(width, rule.PaddingOf(width), count);
  }
  // A row that is shorter than every n-gram is one n-gram.
  int64_t all = length + 2 * rule.padding;
  if (!some && rule.keeps_short && length > 0) visit(all, rule.PaddingOf(all), 1);
}

// Calls text(piece) for all pieces of text of the n-grams, and end() after each n-gram, until the
// call must end.
template <class Text, class End>
void VisitPieces(StopPoll& poll, const NgramRule& rule, const Tensor& words, const Tensor& splits,
                 Text text, End end) {
  for (int64_t row = 0; row < NumRows(splits); ++row) {
    if (poll.Stops(5)) return;
    int64_t first = IntAt(splits, row);
    int64_t length = IntAt(splits, row + 1) - first;
    VisitWidths(rule, length, [&](int64_t width, int64_t padding, int64_t count) {
      for (int64_t start = 0; start < count; ++start) {
        // Positions in the row including its padding.
        for (int64_t at = start; at < start + width; ++at) {
          if (poll.Stops(5)) return;
          if (at > start) text(rule.separator);
          if (at < padding) {
            text(rule.left);
          } else if (at < padding + length) {
            text(words.string_at(first + at - padding));
          } else {
            text(rule.right);
          }
        }
        end();
      }
    });
  }
}

MadeKernel MakeNgramRows(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(NgramRule rule, FindNgramRule(request.call.attributes));
  return MakeKernel([rule](KernelContext& context) -> Status {
    const Tensor& words = context.input(0);
    const Tensor& splits = context.input(1);
    if (words.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", words.shape(), "`"));
    }
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, words.num_elements()));
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(1, splits.shape()));
    auto* ends = made->mutable_elements<int64_t>();
    ends[0] = 0;
    StopPoll poll(context);
    for (int64_t row = 0; row < NumRows(splits); ++row) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(5));
      int64_t& total = ends[row + 1] = ends[row];
      VisitWidths(rule, IntAt(splits, row + 1) - IntAt(splits, row),
                  [&](int64_t, int64_t, int64_t count) { total += count; });
      SIGNET_RETURN_IF_ERROR(CheckOutputSize(std::span(&total, 1)));
    }
    // Computes the sizes first, then the text.
    int64_t size = 0;
    VisitPieces(
        poll, rule, words, splits,
        [&](std::string_view piece) { size += static_cast<int64_t>(piece.size()); }, [] {});
    if (context.stopped()) return context.CheckStop();
    if (size > kMaxOutputText) {
      return TooMuchText();
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * out, context.AllocateStrings(0, {ends[NumRows(splits)]},
                                                                  static_cast<size_t>(size)));
    auto* offset = out->mutable_elements<int64_t>();
    auto* text = const_cast<std::byte*>(out->bytes().data());
    int64_t written = 0;
    *offset++ = 0;
    VisitPieces(
        poll, rule, words, splits,
        [&](std::string_view piece) {
          CopyBytes(poll, text + written, reinterpret_cast<const std::byte*>(piece.data()),
                    piece.size());
          written += static_cast<int64_t>(piece.size());
        },
        [&] { *offset++ = written; });
    return context.stopped() ? context.CheckStop() : absl::OkStatus();
  });
}

constexpr KernelDef kNgramKernels[] = {{"ngram_rows", MakeNgramRows}};

}  // namespace

std::span<const KernelDef> NgramKernels() { return kNgramKernels; }

}  // namespace signet
