#include "core/formats/protobuf/text_message.h"

#include <limits>
#include <string>
#include <vector>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include "core/base/nearest_name.h"
#include "signet/cat.h"

namespace signet {
namespace {

namespace pb = google::protobuf;

constexpr int kDeepestMessage = 20;

// Returns the text between the first `before` in `text` and the quotation mark after it.
std::string_view QuotedAfter(std::string_view text, std::string_view before) {
  const size_t found = text.find(before);
  if (found == text.npos) return {};
  text.remove_prefix(found + before.size());
  return text.substr(0, text.find('"'));
}

// Keeps the first error of a text. The rest of a file is not reported.
class FirstError final : public pb::io::ErrorCollector {
 public:
  explicit FirstError(const pb::DescriptorPool& pool) : pool_(pool) {}

  void AddError(int line, int column, const std::string& message) override {
    if (!status_.ok()) return;
    std::string fact = message;
    if (!fact.empty() && fact.back() == '.') fact.pop_back();
    if (!fact.empty() && fact[0] >= 'A' && fact[0] <= 'Z') {
      fact[0] = static_cast<char>(fact[0] + ('a' - 'A'));
    }
    status_ = InvalidArgument("line ", line + 1, ", column ", column + 1, ": ", fact, Hint(fact));
  }
  const Status& status() const { return status_; }

 private:
  // Returns the nearest field, if `fact` is that a message has no field of a name.
  std::string Hint(std::string_view fact) const {
    const std::string type(QuotedAfter(fact, "message type \""));
    const std::string_view name = QuotedAfter(fact, "has no field named \"");
    const pb::Descriptor* descriptor = pool_.FindMessageTypeByName(type);
    if (descriptor == nullptr || name.empty()) return "";
    std::vector<std::string_view> fields;
    for (int i = 0; i < descriptor->field_count(); ++i) {
      fields.push_back(descriptor->field(i)->name());
    }
    if (auto nearest = NearestName(name, fields)) return Cat("; the nearest is `", *nearest, "`");
    return Cat("; fields: ", ListNames(std::vector<std::string>(fields.begin(), fields.end())));
  }

  const pb::DescriptorPool& pool_;
  Status status_;
};

}  // namespace

Status ParseTextMessage(std::string_view text, pb::Message& message) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return InvalidArgument(text.size(), " bytes exceed the limit of ",
                           std::numeric_limits<int>::max());
  }
  const pb::Descriptor& type = *message.GetDescriptor();
  pb::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
  FirstError error(*type.file()->pool());
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kDeepestMessage);
  if (parser.Parse(&in, &message)) return absl::OkStatus();
  if (!error.status().ok()) return error.status();
  return InvalidArgument("expected the text form of the message ", type.full_name());
}

}  // namespace signet
