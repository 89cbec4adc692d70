// The kernel of `split_text`.

#include <algorithm>
#include <bitset>
#include <cstring>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// Returns the position of `separator`, which is not empty, in `text`, or npos. Linear in the text.
size_t FindText(StopPoll& poll, std::string_view text, std::string_view separator) {
  const size_t window = std::max<size_t>(size_t{1} << 16, 4 * separator.size());
  for (size_t at = 0; at < text.size(); at += window) {
    std::string_view part = text.substr(at, window + separator.size() - 1);
    const void* found = memmem(part.data(), part.size(), separator.data(), separator.size());
    if (found != nullptr) return static_cast<size_t>(static_cast<const char*>(found) - text.data());
    if (poll.Stops(static_cast<int64_t>(part.size()))) break;
  }
  return text.npos;
}

constexpr bool IsSpace(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f' || c == '\r';
}

// Calls piece(part) for the parts of `text`, as str.split of Python: the parts between separators,
// which may be empty, or, if `separator` is empty, the parts between runs of white space. After
// `most` splits, the rest of the text is one part. Returns early if the call must end.
template <class Piece>
void ForEachPart(StopPoll& poll, std::string_view text, std::string_view separator, int64_t most,
                 Piece piece) {
  if (!separator.empty()) {
    for (size_t at; most > 0 && (at = FindText(poll, text, separator)) != text.npos; --most) {
      if (poll.Stops(5 + static_cast<int64_t>(at))) return;
      piece(text.substr(0, at));
      text.remove_prefix(at + separator.size());
    }
    piece(text);
    return;
  }
  // Returns the number of bytes at the beginning of `text` that are white space, or that are not.
  auto length = [&](bool space) {
    size_t count = 0;
    while (count < text.size() && IsSpace(text[count]) == space && !poll.Stops(1)) ++count;
    return count;
  };
  for (text.remove_prefix(length(true)); !text.empty(); text.remove_prefix(length(true)), --most) {
    const size_t end = most > 0 ? length(false) : text.size();
    if (poll.Stops(5)) return;
    piece(text.substr(0, end));
    text.remove_prefix(end);
    if (most == 0) return;
  }
}

// Calls piece(part) for the parts of `text` between bytes of `separators`, or, if there are none,
// for each byte. Returns early if the call must end.
template <class Piece>
void ForEachPartOfSet(StopPoll& poll, std::string_view text, std::string_view separators,
                      Piece piece) {
  if (separators.empty()) {
    for (; !text.empty() && !poll.Stops(5); text.remove_prefix(1)) piece(text.substr(0, 1));
    return;
  }
  std::bitset<256> set;
  for (char c : separators) set.set(static_cast<uint8_t>(c));
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (poll.Stops(1)) return;
    if (!set.test(static_cast<uint8_t>(text[i]))) continue;
    piece(text.substr(begin, i - begin));
    begin = i + 1;
  }
  piece(text.substr(begin));
}

MadeKernel MakeSplitText(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string separator, attributes.String("separator"));
  SIGNET_ASSIGN_OR_RETURN(auto max_splits, attributes.OptionalInt("max_splits"));
  SIGNET_ASSIGN_OR_RETURN(bool each_byte, attributes.Bool("each_byte"));
  const bool is_computed = HasInput(request.call, 1);
  return MakeKernel([=, most = max_splits.value_or(INT64_MAX)](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    std::string_view used = separator;
    if (is_computed) {
      const Tensor& computed = context.input(1);
      if (computed.rank() != 0) {
        return WithConstraint("C2", InvalidArgument("input 1: expected a scalar, found shape `",
                                                    computed.shape(), "`"));
      }
      used = computed.string_at(0);
    }
    return WriteRowsOfParts(context, x, [&](StopPoll& poll, std::string_view text, auto take) {
      if (each_byte) {
        ForEachPartOfSet(poll, text, used, take);
      } else {
        ForEachPart(poll, text, used, most, take);
      }
    });
  });
}

constexpr KernelDef kStringSplitKernels[] = {{"split_text", MakeSplitText}};

}  // namespace

std::span<const KernelDef> StringSplitKernels() { return kStringSplitKernels; }

}  // namespace signet
