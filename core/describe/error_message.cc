#include "core/describe/error_message.h"

#include "core/base/constraint.h"
#include "core/base/utf8.h"

namespace signet {
namespace {

constexpr size_t kLongestMessage = 32'000;  // bytes when percent-encoded

}  // namespace

std::string FitText(std::string_view text, size_t longest) {
  constexpr size_t kLongestEnd = 40;
  std::string out;
  size_t encoded = 0;
  size_t cut = 0;             // bytes of `out` that leave room for the note at the end
  size_t more = text.size();  // bytes of `text` after the cut
  while (!text.empty()) {
    size_t length = Utf8Length(text);
    std::string_view next = length > 0 ? text.substr(0, length) : std::string_view("?");
    bool is_plain = next.size() == 1 && next[0] >= ' ' && next[0] <= '~' && next[0] != '%';
    encoded += is_plain ? 1 : 3 * next.size();
    if (encoded > longest) return Cat(out.substr(0, cut), " ... (", more, " bytes more)");
    out.append(next);
    text.remove_prefix(length > 0 ? length : 1);
    if (encoded + kLongestEnd <= longest) {
      cut = out.size();
      more = text.size();
    }
  }
  return out;
}

v1::Error ErrorToMessage(const Status& status) {
  v1::Error error;
  error.set_code(static_cast<int>(status.code()));
  error.set_message(FitText(MessageOf(status), kLongestMessage));
  error.set_reason(ReasonOf(status));
  error.set_field(FitText(FieldOf(status), kLongestField));
  error.set_constraint(FitText(ConstraintOf(status), kLongestField));
  return error;
}

}  // namespace signet
