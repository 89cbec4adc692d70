// The kernel of `tokenize_text`: splits strings by regular expressions.

#include <string>
#include <vector>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/characters.h"
#include "core/kernels/text/pattern.h"
#include "core/kernels/text/text_kernels.h"

namespace signet {
namespace {

int64_t NumCharacters(std::string_view text) {
  int64_t count = 0;
  for (char byte : text) count += IsContinuation(byte) ? 0 : 1;
  return count;
}

// How texts are split into tokens.
struct Tokenization {
  std::vector<Pattern> patterns;
  bool matches = false;     // tokens are the matches of patterns[0], not the text between matches
  bool characters = false;  // tokens are characters
  int64_t min_characters = 1;

  // Calls token(piece) for the tokens of `text`, in order. If the call must end, stops early.
  template <class Token>
  void Cut(StopPoll& poll, std::string_view text, Token token) const {
    if (!characters) return CutBy(poll, 0, text, token);
    for (size_t at = 0; at < text.size() && !poll.Stops(10);) {
      size_t end = NextCharacter(text, at);
      Emit(text.substr(at, end - at), token);
      at = end;
    }
  }

 private:
  template <class Token>
  void Emit(std::string_view piece, Token& token) const {
    if (NumCharacters(piece) >= min_characters) token(piece);
  }

  // Splits by patterns[level], and the text between its matches by the patterns after it.
  template <class Token>
  void CutBy(StopPoll& poll, size_t level, std::string_view text, Token& token) const {
    if (level == patterns.size()) return Emit(text, token);
    const re2::StringPiece whole(text.data(), text.size());
    size_t begin = 0;  // begin of the piece that ends at the next match
    for (size_t look = 0; look < text.size();) {
      re2::StringPiece match;
      if (!patterns[level]->Match(whole, look, text.size(), RE2::UNANCHORED, &match, 1)) break;
      auto at = static_cast<size_t>(match.data() - text.data());
      if (poll.Stops(100 + 2 * static_cast<int64_t>(at + match.size() - look))) return;
      if (match.empty()) {  // an empty match separates nothing, and is not a token
        look = NextCharacter(text, at);
        continue;
      }
      if (matches) {
        Emit(text.substr(at, match.size()), token);
      } else {
        CutBy(poll, level + 1, text.substr(begin, at - begin), token);
      }
      begin = look = at + match.size();
    }
    if (!matches) CutBy(poll, level + 1, text.substr(begin), token);
  }
};

StatusOr<std::unique_ptr<Kernel>> MakeTokenizeText(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(auto patterns, attributes.Strings("patterns"));
  Tokenization how;
  SIGNET_ASSIGN_OR_RETURN(how.matches, attributes.Bool("matches"));
  SIGNET_ASSIGN_OR_RETURN(how.min_characters, attributes.Int("min_characters"));
  how.characters = patterns.empty();
  for (const std::string& pattern : patterns) {
    SIGNET_ASSIGN_OR_RETURN(how.patterns.emplace_back(), CompilePattern(pattern));
  }
  auto kernel = MakeKernel([how](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    if (!how.characters) SIGNET_RETURN_IF_ERROR(CheckSearchedTexts(context, x));
    return WriteRowsOfParts(context, x, [&](StopPoll& poll, std::string_view text, auto take) {
      how.Cut(poll, text, take);
    });
  });
  const Tensor* known = request.call.constant(0);
  if (known != nullptr) kernel->set_cost(100 + 1000 * static_cast<double>(known->num_bytes()));
  return kernel;
}

constexpr KernelDef kTokenizeKernels[] = {{"tokenize_text", MakeTokenizeText}};

}  // namespace

std::span<const KernelDef> TokenizeKernels() { return kTokenizeKernels; }

}  // namespace signet
