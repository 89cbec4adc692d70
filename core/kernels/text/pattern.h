// CompilePattern: compiles a regular expression of RE2 within bounds of size and memory.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <re2/re2.h>

#include "core/kernels/def/kernel.h"

namespace signet {

using Pattern = std::shared_ptr<const RE2>;

// INVALID_ARGUMENT, under label C2, for text that RE2 cannot read or whose program is too large.
StatusOr<Pattern> CompilePattern(std::string_view pattern);

// Text that is searched has at most this many bytes: a search cannot be stopped.
inline constexpr size_t kMaxSearchedBytes = size_t{1} << 24;

// RESOURCE_EXHAUSTED if a text of `x` is too long to be searched.
Status CheckSearchedTexts(KernelContext& context, const Tensor& x);

// Returns about how many nanoseconds a search over `bytes` bytes takes.
inline int64_t SearchCost(size_t bytes) { return 100 + 2 * static_cast<int64_t>(bytes); }

}  // namespace signet
