// The kernel of `parse_csv`.
//
// A parser of untrusted input, linear in the text.

#include <string>
#include <vector>

#include "core/kernels/def/request.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/tabular/tabular_kernels.h"

namespace signet {
namespace {

// Reads the fields of one record, one after another.
class RecordFields {
 public:
  RecordFields(char delimiter, bool quotes) : delimiter_(delimiter), quotes_(quotes) {}

  void Begin(std::string_view record) {
    record_ = record;
    at_ = 0;
    has_last_ = !record.empty() && record.back() == delimiter_;
  }

  // Reads the next field, and passes its parts to `take`. Returns false after the last field, and
  // if the record is not well formed, which fault() then describes. After it returned false, it
  // continues to do so.
  template <class Take>
  bool Next(StopPoll& poll, Take take) {
    if (fault_ != nullptr) return false;
    while (at_ < record_.size() && IsLineBreak(record_[at_])) {
      if (poll.Stops(1)) return false;
      ++at_;
    }
    if (at_ >= record_.size()) {
      // A delimiter at the end precedes an empty field.
      const bool has_last = has_last_;
      has_last_ = false;
      return has_last;
    }
    if (quotes_ && record_[at_] == '"') return ReadQuoted(poll, take);
    const size_t begin = at_;
    for (; at_ < record_.size() && record_[at_] != delimiter_; ++at_) {
      if (poll.Stops(1)) return false;
      if (IsLineBreak(record_[at_]) || (quotes_ && record_[at_] == '"')) {
        return Fail("a double quote or a line break in a field without quotes");
      }
    }
    take(record_.substr(begin, at_ - begin));
    ++at_;
    return true;
  }

  const char* fault() const { return fault_; }

 private:
  static bool IsLineBreak(char c) { return c == '\n' || c == '\r'; }

  template <class Take>
  bool ReadQuoted(StopPoll& poll, Take take) {
    size_t begin = ++at_;
    for (; at_ < record_.size(); ++at_) {
      if (poll.Stops(1)) return false;
      if (record_[at_] != '"') continue;
      const bool is_last = at_ + 1 == record_.size();
      if (is_last || record_[at_ + 1] == delimiter_) {
        take(record_.substr(begin, at_ - begin));
        at_ += 2;
        return true;
      }
      if (record_[at_ + 1] != '"') return Fail("a double quote in a field that is not doubled");
      take(record_.substr(begin, at_ + 1 - begin));
      begin = at_ + 2;
      ++at_;
    }
    return Fail("no double quote at the end of a field that begins with one");
  }

  bool Fail(const char* fault) {
    fault_ = fault;
    return false;
  }

  const char delimiter_;
  const bool quotes_;
  std::string_view record_;
  size_t at_ = 0;
  bool has_last_ = false;
  const char* fault_ = nullptr;
};

StatusOr<std::unique_ptr<Kernel>> MakeParseCsv(const KernelRequest& request) {
  const Attributes& attributes = request.call.attributes;
  SIGNET_ASSIGN_OR_RETURN(std::string delimiter, attributes.String("delimiter"));
  SIGNET_ASSIGN_OR_RETURN(bool quotes, attributes.Bool("quotes"));
  SIGNET_ASSIGN_OR_RETURN(auto columns, attributes.Ints("columns"));
  SIGNET_ASSIGN_OR_RETURN(int64_t count, attributes.Int("num_columns"));
  return MakeKernel([=](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    if (x.rank() != 1) {
      return WithConstraint(
          "C1", InvalidArgument("input 0: expected a vector, found shape `", x.shape(), "`"));
    }
    RecordFields fields(delimiter[0], quotes);
    Status fault;
    int64_t next = 0;  // number of the next field of the record
    auto check = [&](int64_t row, int64_t found) {
      fault = WithConstraint(
          "C4",
          fields.fault() != nullptr
              ? InvalidArgument("record ", row, ": field ", next, ": found ", fields.fault())
          : columns.empty()
              ? InvalidArgument("record ", row, ": expected ", count, " fields, found ", found)
              : InvalidArgument("record ", row, ": expected a field ",
                                columns[static_cast<size_t>(found)], ", found ", next, " fields"));
    };
    auto skip = [](std::string_view) {};
    SIGNET_RETURN_IF_ERROR(WriteStrings(
        context, 0, {x.num_elements(), count}, [&](StopPoll& poll, int64_t i, GrowingBytes& text) {
          if (!fault.ok()) return;
          const int64_t row = i / count;
          const int64_t column = i % count;
          if (column == 0) {
            fields.Begin(x.string_at(row));
            next = 0;
          }
          const int64_t wanted = columns.empty() ? column : columns[static_cast<size_t>(column)];
          for (; next < wanted; ++next) {
            if (!fields.Next(poll, skip)) return check(row, column);
          }
          if (!fields.Next(poll, [&](std::string_view part) { text.Append(part); })) {
            return check(row, column);
          }
          ++next;
          if (column + 1 < count || !columns.empty()) return;
          int64_t found = count;
          while (fields.Next(poll, skip)) ++found;
          next = found;
          if (found > count || fields.fault() != nullptr) check(row, found);
        }));
    return fault;
  });
}

constexpr KernelDef kParseCsvKernels[] = {{"parse_csv", MakeParseCsv}};

}  // namespace

std::span<const KernelDef> ParseCsvKernels() { return kParseCsvKernels; }

}  // namespace signet
