// CompilePattern: compiles a regular expression of RE2 with limits on its size and memory.

#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include <re2/re2.h>

#include "core/kernels/def/kernel.h"

namespace signet {

using Pattern = std::shared_ptr<const RE2>;

// Returns INVALID_ARGUMENT, with label C2, if RE2 cannot parse `pattern` or its program is too
// large.
StatusOr<Pattern> CompilePattern(std::string_view pattern);

// The maximum number of bytes of a text to search, because a search cannot be stopped.
inline constexpr size_t kMaxSearchedBytes = size_t{1} << 24;

// Returns RESOURCE_EXHAUSTED if a text of `x` is too long to search.
Status CheckSearchedTexts(KernelContext& context, const Tensor& x);

// Returns an estimate of the nanoseconds of a search in `bytes` bytes.
inline int64_t SearchCost(size_t bytes) { return 100 + 2 * static_cast<int64_t>(bytes); }

}  // namespace signet
