// The kernels of `text_code_points` and `text_from_code_points`.

#include <string>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/append_character.h"
#include "core/kernels/text/text_kernels.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

enum class OnError : uint8_t { kReplace, kIgnore, kStrict };

struct ErrorRule {
  OnError on_error = OnError::kReplace;
  int32_t replacement = 0;
  bool replaces_control = false;
};

StatusOr<ErrorRule> RuleOf(const Attributes& attributes) {
  ErrorRule rule;
  SIGNET_ASSIGN_OR_RETURN(std::string errors, attributes.String("errors"));
  SIGNET_ASSIGN_OR_RETURN(int64_t replacement, attributes.Int("replacement"));
  rule.on_error = errors == "strict"   ? OnError::kStrict
                  : errors == "ignore" ? OnError::kIgnore
                                       : OnError::kReplace;
  rule.replacement = static_cast<int32_t>(replacement);
  return rule;
}

struct DecodedCharacter {
  int32_t code_point = -1;  // -1: the bytes are not UTF-8
  size_t size = 1;
};

// Decodes the character at `at`. If it is not UTF-8, `size` counts the bytes that begin a
// character.
DecodedCharacter DecodeAt(std::string_view text, size_t at) {
  auto byte = [&](size_t i) { return static_cast<uint8_t>(text[at + i]); };
  const uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  if (lead < 0xc2 || lead > 0xf4) return {};
  const size_t size = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  int32_t code_point = lead & (0xff >> (size + 1));
  for (size_t i = 1; i < size; ++i) {
    // The second byte of some characters has a smaller range: no longer forms than necessary, no
    // surrogates, and nothing above 10FFFF.
    uint8_t low = 0x80;
    uint8_t high = 0xbf;
    if (i == 1 && lead == 0xe0) low = 0xa0;
    if (i == 1 && lead == 0xed) high = 0x9f;
    if (i == 1 && lead == 0xf0) low = 0x90;
    if (i == 1 && lead == 0xf4) high = 0x8f;
    if (at + i >= text.size() || byte(i) < low || byte(i) > high) return {-1, i};
    code_point = (code_point << 6) | (byte(i) & 0x3f);
  }
  return {code_point, size};
}

// Calls visit(code_point, start) for the characters of `text`, until the call must end.
template <class Visit>
Status VisitCharacters(StopPoll& poll, const ErrorRule& rule, std::string_view text, Visit visit) {
  for (size_t at = 0; at < text.size();) {
    SIGNET_RETURN_IF_ERROR(poll.Spend(3));
    DecodedCharacter found = DecodeAt(text, at);
    if (found.code_point < 0 && rule.on_error == OnError::kStrict) {
      return WithConstraint("C3", InvalidArgument("expected UTF-8 text, found byte ",
                                                  static_cast<int>(static_cast<uint8_t>(text[at])),
                                                  " at position ", at));
    }
    const bool is_control = rule.replaces_control && found.code_point >= 0 && found.code_point < 32;
    if (found.code_point >= 0 && !is_control) {
      visit(found.code_point, at);
    } else if (is_control || rule.on_error == OnError::kReplace) {
      visit(rule.replacement, at);
    }
    at += found.size;
  }
  return absl::OkStatus();
}

MadeKernel MakeTextCodePoints(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(ErrorRule rule, RuleOf(request.call.attributes));
  SIGNET_ASSIGN_OR_RETURN(rule.replaces_control, request.call.attributes.Bool("replace_control"));
  return MakeKernel([rule](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(Tensor * splits, context.Allocate(0, {x.num_elements() + 1}));
    auto* split = splits->mutable_elements<int64_t>();
    StopPoll poll(context);
    int64_t count = 0;
    *split++ = 0;
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(
          VisitCharacters(poll, rule, x.string_at(i), [&](int32_t, size_t) { ++count; }));
      *split++ = count;
    }
    const int64_t dims[] = {count};
    SIGNET_RETURN_IF_ERROR(CheckOutputSize(dims));
    SIGNET_ASSIGN_OR_RETURN(Tensor * values, context.Allocate(1, Shape(dims)));
    SIGNET_ASSIGN_OR_RETURN(Tensor * starts, context.Allocate(2, Shape(dims)));
    auto* value = values->mutable_elements<int32_t>();
    auto* start = starts->mutable_elements<int64_t>();
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(
          VisitCharacters(poll, rule, x.string_at(i), [&](int32_t code_point, size_t at) {
            *value++ = code_point;
            *start++ = static_cast<int64_t>(at);
          }));
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeTextFromCodePoints(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(ErrorRule rule, RuleOf(request.call.attributes));
  return MakeKernel([rule](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    const Tensor& splits = context.input(1);
    SIGNET_RETURN_IF_ERROR(CheckSplits(context, splits, x.num_elements()));
    auto is_character = [](int32_t value) {
      return value >= 0 && value <= 0x10ffff && (value < 0xd800 || value > 0xdfff);
    };
    const auto values = x.elements<int32_t>();
    for (int64_t i = 0; rule.on_error == OnError::kStrict && i < x.num_elements(); ++i) {
      const int32_t value = values[static_cast<size_t>(i)];
      if (is_character(value)) continue;
      return WithConstraint("C4", InvalidArgument("expected the number of a character, found ",
                                                  value, " at position ", i));
    }
    return WriteStrings(context, 0, {NumRows(splits)},
                        [&](StopPoll& poll, int64_t row, GrowingBytes& out) {
                          for (int64_t i = IntAt(splits, row); i < IntAt(splits, row + 1); ++i) {
                            if (poll.Stops(4)) return;
                            const int32_t value = values[static_cast<size_t>(i)];
                            if (is_character(value)) {
                              AppendCharacter(static_cast<char32_t>(value), out);
                            } else if (rule.on_error == OnError::kReplace) {
                              AppendCharacter(static_cast<char32_t>(rule.replacement), out);
                            }
                          }
                        });
  });
}

constexpr KernelDef kCodePointKernels[] = {{"text_code_points", MakeTextCodePoints},
                                           {"text_from_code_points", MakeTextFromCodePoints}};

}  // namespace

std::span<const KernelDef> CodePointKernels() { return kCodePointKernels; }

}  // namespace signet
