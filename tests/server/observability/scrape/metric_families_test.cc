#include "server/observability/scrape/metric_families.h"

#include <fstream>
#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/top/http_get.h"
#include "client/cli/top/metrics_text.h"
#include "server/observability/scrape/metrics_page.h"
#include "tests/server/test_server.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

std::set<std::string> NamesOfFamilies() {
  ServerContext server{ModelOptions(), TransportLimits(), 1};
  std::set<std::string> names;
  for (const auto& family : CollectMetrics(server, 0)) names.insert(family.name);
  return names;
}

// Returns all parts of the text of a file that match `pattern`.
std::set<std::string> Matches(const std::string& path, const char* pattern) {
  const std::string text = ReadWholeFile(path);
  EXPECT_FALSE(text.empty()) << path;
  const std::regex regex(pattern);
  std::set<std::string> out;
  for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it) {
    out.insert((*it)[1]);
  }
  return out;
}

TEST(MetricFamiliesTest, NamesFollowTheConventionsOfPrometheus) {
  ServerContext server{ModelOptions(), TransportLimits(), 1};
  for (const auto& family : CollectMetrics(server, 0)) {
    EXPECT_TRUE(std::regex_match(family.name, std::regex("(signet|process)_[a-z_]+")))
        << family.name;
    EXPECT_FALSE(family.help.empty()) << family.name;
    const bool is_counter = family.type == prometheus::MetricType::Counter;
    EXPECT_EQ(is_counter, family.name.ends_with("_total")) << family.name;
  }
}

TEST(MetricFamiliesTest, TheReferenceListsAllMetrics) {
  EXPECT_EQ(Matches("docs/reference/metrics.md", R"(\n\| `((?:signet|process)_[a-z_]+)` )"),
            NamesOfFamilies());
}

TEST(MetricFamiliesTest, TheDashboardUsesMetricsThatExist) {
  const auto names = NamesOfFamilies();
  const auto used = Matches("deploy/grafana/signet.json", R"(\b((?:signet|process)_[a-z_]+))");
  EXPECT_GE(used.size(), 15u);
  for (std::string name : used) {
    name = std::regex_replace(name, std::regex("_(bucket|sum|count)$"), "");
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

class HttpRoutesTest : public testing::Test {
 protected:
  static ServerOptions Options() {
    ServerOptions options;
    options.observability.http_listen = "127.0.0.1:0";
    options.observability.metric_functions = 2;
    return options;
  }
  StatusOr<std::string> Get(const std::string& path) {
    return HttpGet(Cat("127.0.0.1:", server_.server().http_port()), path,
                   {.timeout = std::chrono::seconds(60)});
  }
  // Reads the metrics until `condition` is true.
  template <class Condition>
  void WaitForMetrics(Condition condition) {
    std::string page;
    for (int i = 0; i < 1000; ++i) {
      auto text = Get("/metrics");
      ASSERT_TRUE(text.ok()) << text.status();
      page = *text;
      auto metrics = MetricsText::Parse(page);
      ASSERT_TRUE(metrics.ok()) << metrics.status();
      if (condition(*metrics)) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    ADD_FAILURE() << page;
  }

  TestServer server_{Options()};
};

TEST_F(HttpRoutesTest, CountsCalls) {
  auto client = server_.MakeClient();
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(client.Call(MathCall("affine", {FloatsOf({1, 2})})).ok());
  }
  EXPECT_FALSE(client.Call(MathCall("affine")).ok());
  EXPECT_FALSE(client.Call(MathCall("none")).ok());
  const MetricsText::Labels affine = {{"model", "math"}, {"function", "affine"}};
  WaitForMetrics([&](const MetricsText& metrics) {
    return metrics.Sum("signet_calls_total",
                       {{"model", "math"}, {"function", "affine"}, {"code", "OK"}}) == 3 &&
           metrics.Sum("signet_calls_total", {{"model", "unknown"}}) == 2 &&
           metrics.Sum("signet_rejections_total", {{"reason", "MISSING_REQUIRED"}}) == 1 &&
           metrics.Sum("signet_call_duration_seconds_count", affine) == 3 &&
           metrics.Sum("signet_stage_duration_seconds_count", {{"stage", "run"}}) >= 3 &&
           metrics.Sum("signet_specializations_total") >= 1 &&
           metrics.Sum("signet_specialization_seconds_total") > 0 &&
           metrics.Sum("signet_function_cache_hits_total") >= 2 &&
           metrics.Sum("signet_request_bytes_total", affine) > 0 &&
           metrics.Sum("signet_model_state", {{"state", "available"}}) == 1;
  });
}

TEST_F(HttpRoutesTest, BoundsLabels) {
  auto client = server_.MakeClient();
  for (int i = 0; i < 100; ++i) {
    CallSpec call = MathCall("identity", {FloatsOf({1})});
    call.model.name = Cat("no_such_model_", i);
    EXPECT_FALSE(client.Call(call).ok());
  }
  for (const char* function : {"identity", "affine", "count"}) {
    EXPECT_TRUE(client
                    .Call(MathCall(function, {function == std::string_view("count")
                                                  ? Value(Tensor::Of<int64_t>({}, {3}))
                                                  : FloatsOf({1})}))
                    .ok());
  }
  WaitForMetrics([&](const MetricsText& metrics) {
    std::set<std::string> models;
    for (const auto& sample : metrics.Samples("signet_calls_total")) {
      models.insert(sample.labels.at("model"));
    }
    return models == std::set<std::string>{"math", "other", "unknown"} &&
           metrics.Sum("signet_calls_total", {{"model", "other"}}) == 1 &&
           metrics.Sum("signet_calls_total", {{"model", "unknown"}}) == 100;
  });
}

TEST_F(HttpRoutesTest, ReportsHealth) {
  EXPECT_EQ(*Get("/healthz"), "ok\n");
  EXPECT_EQ(*Get("/readyz"), "ready\n");
  EXPECT_EQ(*Get("/"), "{\"status\":\"alive\"}");
  EXPECT_EQ(Get("/nothing").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(HttpRoutesTest, ReportsTheTimesOfStagesOnRequest) {
  auto client = server_.MakeClient();
  CallSpec call = MathCall("affine", {FloatsOf({1, 2})});
  auto without = client.Call(call);
  ASSERT_TRUE(without.ok()) << without.status();
  EXPECT_EQ(without->stage_times, "");
  call.wants_stage_times = true;
  auto with = client.Call(call);
  ASSERT_TRUE(with.ok()) << with.status();
  for (const char* part : {"decode=0.", "bind=0.", "run=0.", "encode=0.", "total=0."}) {
    EXPECT_THAT(with->stage_times, HasSubstr(part));
  }
}

TEST(MetricsPageTest, RendersAgainOnlyAfterAWhile) {
  ServerContext server{ModelOptions(), TransportLimits(), 1};
  MetricsPage page(server);
  const std::string first = page.Render();
  EXPECT_THAT(first, HasSubstr("# TYPE signet_calls_total counter"));
  std::string next = first;
  for (int i = 0; i < 1000 && next == first; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    next = page.Render();
  }
  EXPECT_NE(next, first);  // the time of the reading differs
}

}  // namespace
}  // namespace signet
