#include "core/kernels/loops/row_access.h"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "core/ops/def/inference.h"

namespace signet {

Status CheckIndices(KernelContext& context, const Tensor& indices, int64_t size) {
  return VisitInts(indices, [&](auto all) -> Status {
    // Checks all indices without a branch, so that the loop is vectorized: an index below 0 or
    // above `most` sets the sign bit of `signs`.
    using Index = std::remove_cvref_t<decltype(all[0])>;
    using Bits = std::make_unsigned_t<Index>;
    const auto most =
        static_cast<Bits>(std::min<int64_t>(size - 1, std::numeric_limits<Index>::max()));
    Bits signs = 0;
    SIGNET_RETURN_IF_ERROR(
        context.ForInOrder(static_cast<int64_t>(all.size()), 0.5, [&](int64_t begin, int64_t end) {
          for (Index index :
               all.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin))) {
            signs |= static_cast<Bits>(index) | (most - static_cast<Bits>(index));
          }
        }));
    if (static_cast<Index>(signs) >= 0) return absl::OkStatus();
    auto limit = static_cast<uint64_t>(size);
    for (size_t i = 0; i < all.size(); ++i) {
      if (static_cast<uint64_t>(static_cast<int64_t>(all[i])) < limit) continue;
      if (size == 0)
        return OutOfRange("expected no indices, because there is no element to select, found ",
                          all[i], " at position ", i);
      return OutOfRange("expected an index from 0 to ", size - 1, ", found ", all[i],
                        " at position ", i);
    }
    return absl::OkStatus();
  });
}

StatusOr<int64_t> SizeInput(const KernelContext& context, size_t i) {
  const Tensor& size = context.input(i);
  if (size.rank() == 0) return size.scalar<int64_t>();
  return WithConstraint(
      "C1", InvalidArgument("input ", i, ": expected `int64[]`, found `", size.spec(), "`"));
}

StatusOr<int64_t> CountInput(const KernelContext& context, std::string_view name, size_t i) {
  const Tensor& given = context.input(i);
  if (given.num_elements() != 1) {
    return WithConstraint(
        "C4", InvalidArgument("`", name, "`: expected one integer, found `", given.spec(), "`"));
  }
  const int64_t count = IntsOf(given)[0];
  if (count >= 0) return count;
  return WithConstraint("C4", InvalidArgument("`", name, "`: expected at least 0, found ", count));
}

Status CheckSplitsShape(const Tensor& splits) {
  if (splits.rank() == 1 && splits.num_elements() > 0) return absl::OkStatus();
  return WithConstraint(
      "C1", InvalidArgument("row_splits: expected a vector of at least one element, found shape `",
                            splits.shape(), "`"));
}

Status CheckSomeRows(KernelContext& context, const Tensor& splits, int64_t first, int64_t count) {
  bool fits = true;
  SIGNET_RETURN_IF_ERROR(VisitInts(splits, [&](auto all) {
    auto some = all.subspan(static_cast<size_t>(first), static_cast<size_t>(count) + 1);
    fits = some[0] >= 0;
    return context.ForInOrder(count, 0.5, [&](int64_t begin, int64_t end) {
      const auto length = static_cast<size_t>(end - begin) + 1;
      fits = fits && FirstBackwardRow(some.subspan(static_cast<size_t>(begin), length)) < 0;
    });
  }));
  // An error in these rows is also an error of the whole tensor, so CheckSplits reports it.
  return fits ? absl::OkStatus() : CheckSplits(context, splits);
}

Status CheckSplits(KernelContext& context, const Tensor& splits, int64_t num_values) {
  SIGNET_RETURN_IF_ERROR(CheckSplitsShape(splits));
  return VisitInts(splits, [&](auto all) -> Status {
    bool fits = all[0] == 0;
    SIGNET_RETURN_IF_ERROR(
        context.ForInOrder(NumRows(splits), 0.5, [&](int64_t begin, int64_t end) {
          const auto length = static_cast<size_t>(end - begin) + 1;
          fits = fits && FirstBackwardRow(all.subspan(static_cast<size_t>(begin), length)) < 0;
        }));
    if (!fits) return WithConstraint("C1", CheckRowSplits(all));
    if (num_values >= 0 && all.back() != num_values) {
      return WithConstraint(
          "C3", InvalidArgument("row_splits: expected ", num_values,
                                " as the last entry, the number of values, found ", all.back()));
    }
    return absl::OkStatus();
  });
}

}  // namespace signet
