// Kernels of regular expressions. A pattern is compiled once, when the kernel is made, or else once
// per call, to a program of limited size; matching is linear in the text.

#include <array>
#include <memory>
#include <string>

#include <re2/re2.h>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/characters.h"
#include "core/kernels/text/pattern.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

// The memory of a program, and of the matching state.
constexpr int64_t kMaxPatternMemory = int64_t{1} << 20;
constexpr size_t kMaxPatternBytes = size_t{1} << 14;
// A rewrite refers to at most this many groups: \0 to \9.
constexpr size_t kMaxGroups = 10;

re2::StringPiece PieceOf(std::string_view text) { return {text.data(), text.size()}; }
std::string_view TextOf(re2::StringPiece piece) { return {piece.data(), piece.size()}; }

StatusOr<Pattern> MakePattern(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string pattern, request.call.attributes.String("pattern"));
  return CompilePattern(pattern);
}

// Appends the text of `rewrite`, in which the groups of a match replace \0 to \9.
// CheckRewriteString has accepted `rewrite`. Returns false if `text` rejects an append.
bool AppendRewritten(std::string_view rewrite, std::span<const re2::StringPiece> groups,
                     GrowingBytes& text) {
  for (size_t i = 0; i < rewrite.size(); ++i) {
    std::string_view part = rewrite.substr(i, 1);
    if (rewrite[i] == '\\') {
      ++i;
      char named = rewrite[i];
      part =
          named == '\\' ? rewrite.substr(i, 1) : TextOf(groups[static_cast<size_t>(named - '0')]);
    }
    if (!text.Append(part)) return false;
  }
  return true;
}

// Appends `from`, with the first match or all matches replaced. An empty match at the end of
// another match does not count. Stops if `text` rejects an append, or between two matches if the
// call must end.
void AppendReplaced(StopPoll& poll, const RE2& pattern, std::string_view rewrite, bool all,
                    std::string_view from, GrowingBytes& text) {
  std::array<re2::StringPiece, kMaxGroups> groups;
  int wanted = std::min(pattern.NumberOfCapturingGroups() + 1, static_cast<int>(kMaxGroups));
  size_t at = 0;           // end of the part that is appended
  size_t end = from.npos;  // end of the last match
  for (size_t look = 0; look <= from.size();) {
    if (!pattern.Match(PieceOf(from), look, from.size(), RE2::UNANCHORED, groups.data(), wanted)) {
      break;
    }
    auto begin = static_cast<size_t>(groups[0].data() - from.data());
    if (poll.Stops(SearchCost(begin + groups[0].size() - look))) return;
    if (groups[0].empty() && begin == end) {
      // Continues at the next character.
      look = NextCharacter(from, begin);
      end = from.npos;
      continue;
    }
    if (!text.Append(from.substr(at, begin - at))) return;
    if (!AppendRewritten(rewrite, groups, text)) return;
    at = end = look = begin + groups[0].size();
    if (!all) break;
  }
  text.Append(from.substr(at));
}

Status CheckRewrite(const RE2& pattern, const std::string& rewrite) {
  std::string fault;
  if (pattern.CheckRewriteString(rewrite, &fault)) return absl::OkStatus();
  return WithConstraint("C3", InvalidArgument("rewrite `", Printable(rewrite), "`: ", fault));
}

Status RunReplace(KernelContext& context, const RE2& pattern, std::string_view rewrite, bool all) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckSearchedTexts(context, x));
  return WriteStrings(context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
    AppendReplaced(poll, pattern, rewrite, all, x.string_at(i), text);
  });
}

Status RunFullMatch(KernelContext& context, const RE2& pattern) {
  const Tensor& x = context.input(0);
  SIGNET_RETURN_IF_ERROR(CheckSearchedTexts(context, x));
  SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
  bool* out = made->mutable_elements<bool>();
  StopPoll poll(context);
  for (int64_t i = 0; i < x.num_elements(); ++i) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(SearchCost(x.string_at(i).size())));
    out[i] = RE2::FullMatch(PieceOf(x.string_at(i)), pattern);
  }
  return absl::OkStatus();
}

MadeKernel MakeReplace(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Pattern pattern, MakePattern(request));
  SIGNET_ASSIGN_OR_RETURN(std::string rewrite, request.call.attributes.String("rewrite"));
  SIGNET_ASSIGN_OR_RETURN(bool all, request.call.attributes.Bool("all"));
  SIGNET_RETURN_IF_ERROR(CheckRewrite(*pattern, rewrite));
  return MakeKernel([pattern, rewrite, all](KernelContext& context) {
    return RunReplace(context, *pattern, rewrite, all);
  });
}

MadeKernel MakeFullMatch(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Pattern pattern, MakePattern(request));
  return MakeKernel([pattern](KernelContext& context) { return RunFullMatch(context, *pattern); });
}

// Returns the text of input `i`, a scalar.
StatusOr<std::string_view> ScalarText(const KernelContext& context, size_t i) {
  const Tensor& text = context.input(i);
  if (text.rank() == 0) return text.string_at(0);
  return WithConstraint(
      "C2", InvalidArgument("input ", i, ": expected a scalar, found shape `", text.shape(), "`"));
}

MadeKernel MakeReplaceComputed(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(bool all, request.call.attributes.Bool("all"));
  return MakeKernel([all](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(std::string_view text, ScalarText(context, 1));
    SIGNET_ASSIGN_OR_RETURN(std::string_view rewrite, ScalarText(context, 2));
    SIGNET_ASSIGN_OR_RETURN(Pattern pattern, CompilePattern(text));
    SIGNET_RETURN_IF_ERROR(CheckRewrite(*pattern, std::string(rewrite)));
    return RunReplace(context, *pattern, rewrite, all);
  });
}

MadeKernel MakeFullMatchComputed(const KernelRequest&) {
  return MakeKernel([](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(std::string_view text, ScalarText(context, 1));
    SIGNET_ASSIGN_OR_RETURN(Pattern pattern, CompilePattern(text));
    return RunFullMatch(context, *pattern);
  });
}

MadeKernel MakeExtract(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(Pattern pattern, MakePattern(request));
  SIGNET_ASSIGN_OR_RETURN(int64_t group, request.call.attributes.Int("group"));
  int64_t most = std::min<int64_t>(pattern->NumberOfCapturingGroups(), kMaxGroups - 1);
  if (group < 0 || group > most) {
    return WithConstraint("C3", InvalidArgument("group: expected 0 to ", most, ", found ", group));
  }
  return MakeKernel([pattern,
                     group = static_cast<size_t>(group)](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_RETURN_IF_ERROR(CheckSearchedTexts(context, x));
    return WriteStrings(context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
      std::array<re2::StringPiece, kMaxGroups> groups;
      std::string_view from = x.string_at(i);
      if (poll.Stops(SearchCost(from.size()))) return;
      bool found = pattern->Match(PieceOf(from), 0, from.size(), RE2::UNANCHORED, groups.data(),
                                  static_cast<int>(group) + 1);
      if (found) text.Append(TextOf(groups[group]));
    });
  });
}

// Returns the factory `make`, with an estimate of the cost for texts of known size and a program
// with many simultaneous states.
template <KernelFactory make>
MadeKernel Matching(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto kernel, make(request));
  const Tensor* known = request.call.constant(0);
  if (known != nullptr) kernel->set_cost(100 + 1000 * static_cast<double>(known->num_bytes()));
  return kernel;
}

constexpr KernelDef kRegexKernels[] = {
    {"regex_extract", Matching<MakeExtract>},
    {"regex_full_match", Matching<MakeFullMatch>},
    {"regex_full_match_computed", Matching<MakeFullMatchComputed>},
    {"regex_replace", Matching<MakeReplace>},
    {"regex_replace_computed", Matching<MakeReplaceComputed>},
};

}  // namespace

StatusOr<Pattern> CompilePattern(std::string_view pattern) {
  if (pattern.size() > kMaxPatternBytes) {
    return WithConstraint("C2", InvalidArgument("a pattern of ", pattern.size(),
                                                " bytes exceeds the limit of ", kMaxPatternBytes));
  }
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMaxPatternMemory);
  auto compiled = std::make_shared<const RE2>(PieceOf(pattern), options);
  if (compiled->ok()) return compiled;
  return WithConstraint("C2",
                        InvalidArgument("pattern `", Printable(pattern), "`: ", compiled->error()));
}

Status CheckSearchedTexts(KernelContext& context, const Tensor& x) {
  size_t longest = 0;
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(x.num_elements(), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) longest = std::max(longest, x.string_at(i).size());
  }));
  if (longest <= kMaxSearchedBytes) return absl::OkStatus();
  return ResourceExhausted("expected texts of at most ", kMaxSearchedBytes,
                           " bytes to search for a regular expression, found ", longest,
                           "; divide longer texts with `string_split` first");
}

std::span<const KernelDef> RegexKernels() { return kRegexKernels; }

}  // namespace signet
