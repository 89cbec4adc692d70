// Law: what a function returns depends on the call alone. Random functions are called with random
// arguments, after random histories of calls, Explains, and calls that are prepared for types, with
// caches of random capacity, and from several threads. Every result and every error equals that of
// a function that has seen no other call, bit for bit and including its type. Answers also equal
// those of a new process, which share no state with the calls before.
//
// The seed is SIGNET_SEED or a fixed one. SIGNET_ROUNDS sets the number of functions.

#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "absl/status/status.h"
#include "absl/strings/cord.h"
#include "core/runtime/polymorphic_function.h"
#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "signet/sequence_spec.h"
#include "signet/tensor_spec.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/typed_library.h"

namespace signet {
namespace {

// What a parameter takes.
enum class Form { kDense, kVector, kRagged, kRows, kBox, kNumber, kSparse };
constexpr int kForms = 7;

// A random function of a model, and arguments for it.
class Subject {
 public:
  explicit Subject(uint32_t seed) : random_(seed) {
    DeclareBox();
    AddHelpers();
    const int count = 1 + Below(3);
    std::string signature = "(";
    for (int i = 0; i < count; ++i) {
      forms_.push_back(static_cast<Form>(Below(kForms)));
      signature += Cat(i == 0 ? "" : ", ", "p", i, ConstraintOf(forms_.back()));
    }
    def_ = RandomBody(signature + ")");
    text_ = signature + ")";
  }

  const FunctionDef& def() const { return def_; }
  const FunctionLibrary& library() const { return library_; }
  const std::string& text() const { return text_; }

  CallArguments RandomArguments() {
    // Sizes that most arguments of a call share, so that many calls fit.
    const int rows = Below(5), columns = Below(5);
    CallArguments out;
    for (Form form : forms_) out.positional.push_back(RandomValue(form, rows, columns));
    return out;
  }

  // Types in place of values, with some sizes left open.
  CallArguments RandomTypes() {
    CallArguments out = RandomArguments();
    for (Value& value : out.positional) {
      if (Below(3) > 0) value = Value::OfType(Opened(value.spec()));
    }
    return out;
  }

  int Below(int n) { return static_cast<int>(random_() % static_cast<uint32_t>(n)); }

 private:
  // An extension type whose overrides depend on sizes.
  void DeclareBox() {
    auto component = [](BodyMaker& f, const char* name, const char* of) -> BodyMaker& {
      return f.Node(name, "struct_get", {of}, {{"field", AttributeOf("x")}});
    };
    auto make_box = [](BodyMaker& f, const char* of) -> BodyMaker& {
      return f.Node("made", "make_extension", {of}, {{"type", AttributeOf("t.Box")}});
    };
    {
      BodyMaker f("box_pair", "(a: t.Box(x: float32[2]), b, /)");
      component(f, "x", "a").Node("y", "neg", {"x"});
      library_.Define(make_box(f, "y").Make("made"));
    }
    {
      BodyMaker f("box_add", "(a: t.Box(x: float32[...]), b, /)");
      component(f, "x", "a").Node("y", "add", {"x", "b"});
      library_.Define(make_box(f, "y").Make("made"));
    }
    ExtensionFunctions functions;
    functions.overrides = {{.op = "add", .function = "box_pair", .inputs = {"t.Box", "any"}},
                           {.op = "add", .function = "box_add", .inputs = {"t.Box", "any"}}};
    library_.Declare("t.Box", "", functions);
  }

  void AddHelpers() {
    auto define = [&](FunctionDef def) { library_.Define(std::move(def)); };
    define(BodyMaker("twice", "(x)").Node("y", "add", {"x", "x"}).Make("y"));
    define(BodyMaker("same", "(x)").Make("x"));
    define(BodyMaker("small", "(x)").Make("\"small\""));
    define(BodyMaker("big", "(x)").Make("\"big\""));
    define(BodyMaker("total", "(x)").Node("y", "reduce_sum", {"x"}).Make("y"));
    define(BodyMaker("first", "(x)").Node("y", "get_item", {"x", "0"}).Make("y"));
    define(BodyMaker("one", "(x)").Make("1"));
    define(BodyMaker("of_three", "(x: float32[3, ?])").Node("y", "neg", {"x"}).Make("y"));
    define(BodyMaker("of_any", "(x)").Node("y", "abs", {"x"}).Make("y"));
    define(BodyMaker("is_low", "(n, x)").Node("y", "less", {"n", "3"}).Make("y"));
    define(BodyMaker("next", "(n, x)")
               .Node("m", "add", {"n", "1"})
               .Node("z", "add", {"x", "x"})
               .Node("y", "make_tuple", {"m", "z"})
               .Make("y"));
    define(BodyMaker("grow", "(n, x)")
               .Node("m", "add", {"n", "1"})
               .Node("z", "concat", {"x", "x"})
               .Node("y", "make_tuple", {"m", "z"})
               .Make("y"));
    define(BodyMaker("sum", "(total, x)")
               .Node("s", "reduce_sum", {"x"})
               .Node("y", "add", {"total", "s"})
               .Make("y"));
  }

  std::string ConstraintOf(Form form) {
    if (Below(3) == 0) return "";
    switch (form) {
      case Form::kDense:
        return Below(2) == 0 ? ": float32[?, ?]" : ": float32[...]";
      case Form::kVector:
        return ": float32[?]";
      case Form::kRagged:
        return ": ragged float32[?, (?)]";
      case Form::kRows:
        return ": [{a: float32[], b: float32[(?)]}]";
      case Form::kBox:
        return ": t.Box(x: float32[?])";
      case Form::kNumber:
        return "";
      case Form::kSparse:
        return ": sparse float32[?, ?]";
    }
    return "";
  }

  std::string Number() {
    constexpr const char* kNumbers[] = {"0.0", "-0.0", "1.0", "2.5", "-3.0", "inf", "nan"};
    return Below(3) == 0 ? kNumbers[Below(7)] : Cat(Below(9) - 4, ".5");
  }

  template <class Item>
  std::string List(int count, Item item) {
    std::string out = "[";
    for (int i = 0; i < count; ++i) out += Cat(i == 0 ? "" : ", ", item());
    return out + "]";
  }

  // `size` mostly, or 1, or another.
  int Near(int size) {
    const int choice = Below(10);
    return choice == 0 ? 1 : choice == 1 ? Below(5) : size;
  }

  Value RandomValue(Form form, int rows, int columns) {
    const int n = Near(rows), m = Near(columns);
    auto number = [&] { return Number(); };
    auto row = [&](int length) { return List(length, number); };
    auto ragged_row = [&] { return row(Below(3) == 0 ? m : Below(4)); };
    std::string text;
    switch (form) {
      case Form::kDense:
        text = Cat("float32[", n, ", ", m, "] ", List(n, [&] { return row(m); }));
        break;
      case Form::kVector:
        text = Cat("float32[", m, "] ", row(m));
        break;
      case Form::kRagged:
        text = Cat("ragged float32[", n, ", (?)] ", List(n, ragged_row));
        break;
      case Form::kRows:
        text = Cat("{a: float32[], b: float32[(?)]}[", n, "] ",
                   List(n, [&] { return Cat("{a: ", Number(), ", b: ", ragged_row(), "}"); }));
        break;
      case Form::kBox:
        text = Cat("t.Box(x: float32[", m, "]) {x: ", row(m), "}");
        break;
      case Form::kNumber:
        text = Number();
        break;
      case Form::kSparse: {
        // At most one entry in each row, so that the indices are in order.
        std::vector<std::string> indices, values;
        for (int i = 0; i < n && m > 0; ++i) {
          if (Below(2) == 0) continue;
          indices.push_back(Cat("[", i, ", ", Below(m), "]"));
          values.push_back(Number());
        }
        text = Cat("sparse float32[", n, ", ", m, "] {indices: [", Join(indices, ", "),
                   "], values: [", Join(values, ", "), "], dense_shape: [", n, ", ", m, "]}");
        break;
      }
    }
    auto value = ParseValue(text);
    if (!value.ok()) ADD_FAILURE() << text << ": " << value.status();
    return value.ok() ? *std::move(value) : Value::None();
  }

  TypeSpec Opened(const TypeSpec& spec) {
    PartialShape shape;
    if (spec.shape() != nullptr) {
      shape = *spec.shape();
      for (int axis = 0; axis < shape.rank(); ++axis) {
        if (Below(2) == 0) shape = shape.WithDim(axis, kUnknownDim);
      }
    }
    if (spec.is(TypeKind::kStructured)) {
      return *ParseTypeSpec("[{a: float32[], b: float32[(?)]}]");
    }
    std::vector<TypeSpec> children;
    for (const TypeSpec& child : spec.children()) children.push_back(Opened(child));
    auto made = spec.rep().Rebuild(std::move(shape), std::move(children));
    return made.ok() ? *made : spec;
  }

  FunctionDef RandomBody(const std::string& signature) {
    BodyMaker f("subject", signature);
    std::vector<std::string> values;
    for (size_t i = 0; i < forms_.size(); ++i) {
      values.push_back(Cat("p", i));
      if (forms_[i] != Form::kRows) continue;
      for (const char* field : {"a", "b"}) {
        std::string name = Cat("p", i, field);
        f.Node(name, "struct_get", {values[i]}, {{"field", AttributeOf(field)}});
        if (Below(3) > 0) values.push_back(name);
      }
    }
    const int count = 1 + Below(5);
    for (int i = 0; i < count; ++i) {
      std::string name = Cat("n", i);
      AddNode(f, name, values);
      values.push_back(name);
    }
    if (Below(4) > 0) return f.Make(values.back());
    return f.Node("both", "make_tuple", {values.back(), values[Pick(values)]}).Make("both");
  }

  size_t Pick(const std::vector<std::string>& values) {
    return static_cast<size_t>(Below(static_cast<int>(values.size())));
  }

  void AddNode(BodyMaker& f, const std::string& name, const std::vector<std::string>& values) {
    auto pick = [&] { return values[Pick(values)]; };
    auto node = [&](std::string_view op, std::vector<std::string> inputs,
                    NamedTypes attributes = {}) {
      text_of_body_ += Cat("\n  ", name, " = ", op, "(", Join(inputs, ", "), ") ",
                           Attributes(attributes).ToString());
      f.Node(name, op, std::move(inputs), std::move(attributes));
    };
    switch (Below(18)) {
      case 0:
      case 1:
      case 2: {
        constexpr const char* kOps[] = {"add", "mul", "sub", "maximum", "minimum", "div"};
        return node(kOps[Below(6)], {pick(), pick()});
      }
      case 3: {
        constexpr const char* kOps[] = {"neg", "abs", "relu", "tanh", "exp", "softmax", "square"};
        return node(kOps[Below(7)], {pick()});
      }
      case 4:
        f.Node(name + "c", "less", {pick(), pick()});
        return node("select", {name + "c", pick(), pick()});
      case 5:
        return node("clip", {pick(), pick(), pick()});
      case 6:
        return node("reduce_sum", {pick()},
                    {{"axes", AttributeOf(Below(2))}, {"keepdims", AttributeOf(Below(2) == 0)}});
      case 7:
        return node("concat", {pick(), pick()}, {{"axis", AttributeOf(Below(2))}});
      case 8:
        return node("expand_dims", {pick()}, {{"axis", AttributeOf(Below(2))}});
      case 9:
        return node("matmul", {pick(), pick()});
      case 10:
        return node("dim_size", {pick()}, {{"axis", AttributeOf(0)}});
      case 11: {
        f.Node(name + "s", "dim_size", {pick()}, {{"axis", AttributeOf(0)}});
        f.Node(name + "c", "less", {name + "s", Cat(Below(4))});
        constexpr const char* kFunctions[] = {"small", "big", "twice", "same", "total", "one"};
        return node("cond", {name + "c", pick()},
                    {{"then", AttributeOf(kFunctions[Below(6)])},
                     {"else", AttributeOf(kFunctions[Below(6)])}});
      }
      case 12: {
        constexpr const char* kFunctions[] = {"twice", "total", "same", "first"};
        return node("map", {pick()},
                    {{"function", AttributeOf(kFunctions[Below(4)])},
                     {"ragged", AttributeOf(Below(2) == 0)}});
      }
      case 13: {
        f.Node(name + "w", "while", {"0", pick()},
               {{"condition", AttributeOf("is_low")},
                {"body", AttributeOf(Below(2) == 0 ? "next" : "grow")}});
        return node("identity", {name + "w:1"});
      }
      case 14:
        return node("reduce", {"0.0", pick()}, {{"function", AttributeOf("sum")}});
      case 15: {
        TypeSpec functions[] = {AttributeOf("of_three"), AttributeOf("of_any")};
        return node("call", {pick()}, {{"functions", ListType({functions[0], functions[1]})}});
      }
      case 16:
        f.Node(name + "s", "shape", {pick()});
        f.Node(name + "r", "reshape", {pick(), name + "s"});
        return node("add", {name + "r", pick()});
      default:
        return node("add", {pick(), "1.0"});
    }
  }

 public:
  std::string Describe() const { return text_ + text_of_body_; }

 private:
  std::mt19937 random_;
  TypedLibrary library_;
  std::vector<Form> forms_;
  FunctionDef def_;
  std::string text_;
  std::string text_of_body_;
};

// A value, or an error with its payloads in the order of their names. The order in which
// `absl::Status` shows them depends on an address, and so differs between processes.
std::string Describe(const StatusOr<Value>& answer) {
  if (answer.ok()) return ToString(*answer);
  std::map<std::string, std::string> payloads;
  answer.status().ForEachPayload([&](absl::string_view name, const absl::Cord& payload) {
    payloads[std::string(name)] = std::string(payload);
  });
  std::string text =
      Cat(absl::StatusCodeToString(answer.status().code()), ": ", MessageOf(answer.status()));
  for (const auto& [name, payload] : payloads) text += Cat(" [", name, "=", payload, "]");
  return text;
}

std::string Describe(const CallArguments& arguments) {
  std::vector<std::string> out;
  for (const Value& value : arguments.positional) {
    out.push_back(value.is_placeholder() ? value.spec().ToString() : ToString(value));
  }
  return Join(out, "\n  ");
}

bool IsSameAnswer(const StatusOr<Value>& a, const StatusOr<Value>& b) {
  if (a.ok() != b.ok()) return false;
  return a.ok() ? SameValue(*a, *b) : a.status() == b.status();
}

// A call as the server makes it of arguments in a text format: prepared for open types, then given
// values.
StatusOr<Value> CallPreparedForTypes(const PolymorphicFunction& function,
                                     const CallArguments& arguments, const CallArguments& types) {
  auto binding = function.Bind(types);
  if (!binding.ok()) return binding.status();
  auto prepared = function.PrepareForTypes(*binding, types, {});
  if (prepared && prepared->arguments.size() == arguments.positional.size()) {
    for (size_t i = 0; i < arguments.positional.size(); ++i) {
      if (prepared->arguments[i].is_placeholder()) prepared->arguments[i] = arguments.positional[i];
    }
    prepared = function.PrepareForParts(*std::move(prepared), {});
  }
  if (!prepared) return function.Call(arguments, {});
  auto result = prepared->Run({});
  return prepared->MustRepeat(result, {}) ? function.Call(arguments, {}) : result;
}

// The arguments with all sizes left open.
CallArguments OpenTypes(const CallArguments& arguments, const FunctionDef& def) {
  CallArguments out = arguments;
  for (size_t i = 0; i < out.positional.size(); ++i) {
    const TypeSpec& type = def.type.parameters()[i].type;
    if (type && type.num_components() > 0) out.positional[i] = Value::OfType(type);
  }
  return out;
}

class HistoryPropertyTest : public testing::Test {
 protected:
  static uint32_t Seed() {
    const char* text = std::getenv("SIGNET_SEED");
    return text != nullptr ? static_cast<uint32_t>(std::strtoul(text, nullptr, 10)) : 20261122U;
  }
  static int Rounds(int usual) {
    const char* text = std::getenv("SIGNET_ROUNDS");
    return text != nullptr ? std::atoi(text) : usual;
  }
};

TEST_F(HistoryPropertyTest, AnswersDoNotDependOnEarlierCalls) {
  constexpr int kCalls = 40;
  constexpr size_t kCapacities[] = {1, 2, 5, 12, 1024};
  int answered = 0, rejected = 0;
  for (int round = 0; round < Rounds(250); ++round) {
    SCOPED_TRACE(Cat("SIGNET_SEED=", Seed() + static_cast<uint32_t>(round), " SIGNET_ROUNDS=1"));
    Subject subject(Seed() + static_cast<uint32_t>(round));
    // Concrete functions are evicted by their number, or by their bytes.
    FunctionOptions options{.max_concrete_functions = kCapacities[subject.Below(5)]};
    if (subject.Below(4) == 0) options.max_function_bytes = 1 << (10 + subject.Below(6));
    const PolymorphicFunction function(subject.def(), subject.library(), options);
    for (int i = 0; i < kCalls; ++i) {
      const int event = subject.Below(12);
      if (event == 0) {
        function.Explain(subject.RandomTypes());
        continue;
      }
      const CallArguments arguments = subject.RandomArguments();
      const PolymorphicFunction fresh(subject.def(), subject.library());
      auto expected = fresh.Call(arguments, {});
      auto found = event == 1 ? CallPreparedForTypes(function, arguments,
                                                     OpenTypes(arguments, subject.def()))
                              : function.Call(arguments, {});
      expected.ok() ? ++answered : ++rejected;
      ASSERT_TRUE(IsSameAnswer(expected, found))
          << "call " << i << (event == 1 ? ", prepared for types" : "") << " of\n"
          << subject.Describe() << "\nwith\n  " << Describe(arguments)
          << "\nfresh: " << Describe(expected) << "\nfound: " << Describe(found);
    }
  }
  std::printf("history_property: seed %u, %d calls answered, %d rejected\n", Seed(), answered,
              rejected);
  if (Rounds(250) >= 250) {
    EXPECT_GT(answered, 500);
  }
}

TEST_F(HistoryPropertyTest, AnswersDoNotDependOnOtherThreads) {
  constexpr size_t kCalls = 30;
  constexpr int kThreads = 4;
  for (int round = 0; round < Rounds(40); ++round) {
    SCOPED_TRACE(Cat("SIGNET_SEED=", Seed() + static_cast<uint32_t>(round), " SIGNET_ROUNDS=1"));
    Subject subject(Seed() + static_cast<uint32_t>(round));
    std::vector<CallArguments> calls, types;
    std::vector<StatusOr<Value>> expected;
    for (size_t i = 0; i < kCalls; ++i) {
      calls.push_back(subject.RandomArguments());
      types.push_back(subject.RandomTypes());
      expected.push_back(
          PolymorphicFunction(subject.def(), subject.library()).Call(calls.back(), {}));
    }
    const FunctionOptions options{.max_concrete_functions = round % 2 == 0 ? 3U : 1024U};
    const PolymorphicFunction function(subject.def(), subject.library(), options);
    std::atomic<size_t> wrong{kCalls};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, random = std::mt19937(static_cast<uint32_t>(t))]() mutable {
        for (size_t k = 0; k < 2 * kCalls; ++k) {
          const size_t i = random() % kCalls;
          if (random() % 8 == 0) function.Explain(types[i]);
          if (!IsSameAnswer(function.Call(calls[i], {}), expected[i])) wrong = i;
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    ASSERT_EQ(wrong, kCalls) << subject.Describe() << "\nwith\n  " << Describe(calls[wrong])
                             << "\nfresh: " << Describe(expected[wrong]);
  }
}

// Calls of one function, in a file: the seed of the function, and the arguments of each call.
constexpr const char* kSeedVariable = "SIGNET_FRESH_SEED";
constexpr const char* kArgumentsVariable = "SIGNET_FRESH_ARGUMENTS";

// The part of the next test that runs in a process of its own.
TEST_F(HistoryPropertyTest, AnswersOneCallInAProcessOfItsOwn) {
  const char* seed = std::getenv(kSeedVariable);
  const char* path = std::getenv(kArgumentsVariable);
  if (seed == nullptr || path == nullptr)
    GTEST_SKIP() << "the next test starts it in a process of its own";
  Subject subject(static_cast<uint32_t>(std::strtoul(seed, nullptr, 10)));
  CallArguments arguments;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    auto value = ParseValue(line);
    ASSERT_TRUE(value.ok()) << value.status();
    arguments.positional.push_back(*std::move(value));
  }
  const PolymorphicFunction function(subject.def(), subject.library());
  std::ofstream(Cat(path, ".answer")) << Describe(function.Call(arguments, {}));
}

TEST_F(HistoryPropertyTest, AnswersDoNotDependOnTheProcess) {
  const TemporaryFolder folder;
  const std::string path = (folder.path() / "arguments").string();
  int answered = 0;
  for (int round = 0; round < Rounds(100); ++round) {
    const uint32_t seed = Seed() + 1000 + static_cast<uint32_t>(round);
    SCOPED_TRACE(Cat("SIGNET_SEED=", seed - 1000, " SIGNET_ROUNDS=1"));
    Subject subject(seed);
    const PolymorphicFunction function(subject.def(), subject.library());
    CallArguments arguments;
    StatusOr<Value> found = InvalidArgument("no call");
    // A call that is answered shows more than an error.
    for (int i = 0; i < 20 && (i < 5 || !found.ok()); ++i) {
      arguments = subject.RandomArguments();
      found = function.Call(arguments, {});
    }
    answered += found.ok();
    {
      std::ofstream file(path);
      for (const Value& value : arguments.positional) file << ToString(value) << "\n";
    }
    const std::string command =
        Cat(kSeedVariable, "=", seed, " ", kArgumentsVariable, "='", path, "' '",
            std::filesystem::read_symlink("/proc/self/exe").string(),
            "' --gtest_filter=HistoryPropertyTest.AnswersOneCallInAProcessOfItsOwn >/dev/null");
    ASSERT_EQ(std::system(command.c_str()), 0);
    std::ifstream answer(path + ".answer");
    const std::string expected{std::istreambuf_iterator<char>(answer), {}};
    ASSERT_EQ(Describe(found), expected)
        << subject.Describe() << "\nwith\n  " << Describe(arguments);
  }
  if (Rounds(100) >= 100) {
    EXPECT_GT(answered, 25);
  }
}

}  // namespace
}  // namespace signet
