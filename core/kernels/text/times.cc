// The kernels of the ops on dates and times.

#include <optional>
#include <string>

#include "core/kernels/loops/row_access.h"
#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/text_kernels.h"
#include "core/ops/text/time_part.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;

bool IsOfDates(const OpDef& op) { return op.name == "parse_date" || op.name == "format_date"; }

// Returns the format of the call.
StatusOr<TimeFormat> FormatOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string text, call.attributes.String("format"));
  return TimeFormat::Parse(text, IsOfDates(call.op));
}

// C4: the count is in the years 1 to 9999.
Status OutsideOfCalendar(int64_t i, int64_t count) {
  return WithConstraint("C4",
                        OutOfRange("element ", i, ": expected a date in the years 1 to 9999, ",
                                   "found the count ", count));
}

MadeKernel MakeParse(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(TimeFormat format, FormatOf(request.call));
  SIGNET_ASSIGN_OR_RETURN(TimeUnit unit, UnitOf(request.call));
  SIGNET_ASSIGN_OR_RETURN(auto otherwise, request.call.attributes.OptionalInt("default"));
  SIGNET_ASSIGN_OR_RETURN(std::string text, request.call.attributes.String("format"));
  return MakeKernel([format, unit, otherwise, text](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(100));
      Moment moment;
      std::optional<int64_t> count;
      if (format.Read(x.string_at(i), moment)) count = unit.CountOf(moment);
      if (!count) count = otherwise;
      if (!count) {
        return WithConstraint(
            "C5",
            InvalidArgument("element ", i, ": expected a date or time of the form \"",
                            Printable(text), "\", found \"", Printable(x.string_at(i)), "\""));
      }
      out[i] = *count;
    }
    return absl::OkStatus();
  });
}

MadeKernel MakeFormat(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(TimeFormat format, FormatOf(request.call));
  SIGNET_ASSIGN_OR_RETURN(TimeUnit unit, UnitOf(request.call));
  return MakeKernel([format, unit](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    StopPoll checking(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(checking.Spend(5));
      if (!unit.MomentOf(IntAt(x, i))) return OutsideOfCalendar(i, IntAt(x, i));
    }
    return WriteStrings(context, 0, x.shape(), [&](StopPoll& poll, int64_t i, GrowingBytes& out) {
      if (poll.Stops(100)) return;
      std::string text;
      format.Write(*unit.MomentOf(IntAt(x, i)), text);
      out.Append(text);
    });
  });
}

int64_t PartOf(const Moment& moment, TimePart part) {
  const CivilDate date = DateFromDays(moment.days);
  switch (part) {
    case TimePart::kYear:
      return date.year;
    case TimePart::kQuarter:
      return (date.month + 2) / 3;
    case TimePart::kMonth:
      return date.month;
    case TimePart::kDay:
      return date.day;
    case TimePart::kYearDay:
      return YearDayOf(moment.days);
    case TimePart::kWeek:
      return IsoWeekOf(moment.days);
    case TimePart::kWeekday:
      return WeekdayOf(moment.days);
    case TimePart::kHour:
      return moment.seconds / 3600;
    case TimePart::kMinute:
      return moment.seconds / 60 % 60;
    case TimePart::kSecond:
      return moment.seconds % 60;
    case TimePart::kNanosecond:
      return moment.nanoseconds;
  }
  __builtin_unreachable();
}

MadeKernel MakePart(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(TimeUnit unit, UnitOf(request.call));
  SIGNET_ASSIGN_OR_RETURN(std::string name, request.call.attributes.String("part"));
  SIGNET_ASSIGN_OR_RETURN(TimePart part, ParseTimePart(name, /*dates_only=*/false));
  return MakeKernel([unit, part](KernelContext& context) -> Status {
    const Tensor& x = context.input(0);
    SIGNET_ASSIGN_OR_RETURN(Tensor * made, context.Allocate(0, x.shape()));
    auto* out = made->mutable_elements<int64_t>();
    StopPoll poll(context);
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      SIGNET_RETURN_IF_ERROR(poll.Spend(10));
      auto moment = unit.MomentOf(IntAt(x, i));
      if (!moment) return OutsideOfCalendar(i, IntAt(x, i));
      out[i] = PartOf(*moment, part);
    }
    return absl::OkStatus();
  });
}

constexpr KernelDef kTimeKernels[] = {
    {"date_part", MakePart},   {"format_date", MakeFormat}, {"format_time", MakeFormat},
    {"parse_date", MakeParse}, {"parse_time", MakeParse},   {"time_part", MakePart},
};

}  // namespace

std::span<const KernelDef> TimeKernels() { return kTimeKernels; }

}  // namespace signet
