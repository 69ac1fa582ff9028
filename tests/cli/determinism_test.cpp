// determinism: every example that comes with the program gives the same bits at 1, 2, 3 and 8 threads.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "tests/cli/made_data.h"

namespace hw {
namespace {

using nlohmann::json;
using test::cli;
using test::example;
using test::Outcome;
using ::testing::HasSubstr;

class ExampleDeterminism : public testing::TestWithParam<std::string> {};

TEST_P(ExampleDeterminism, HoldsAtAnyNumberOfThreads) {
  const test::MadeData data;
  const Outcome o = cli({"determinism", "--json", example(GetParam())});
  EXPECT_EQ(o.exit, 0) << o.out << o.err;
  const json report = json::parse(o.out, nullptr, false);
  ASSERT_TRUE(report.is_object()) << o.out;
  EXPECT_EQ(report["deterministic"], true);
  EXPECT_EQ(report["threads"], json({1, 2, 3, 8}));
  EXPECT_TRUE(report["first"].is_null());
  EXPECT_GE(report["values"].size(), 20u);
  for (const json& op : report["ops"]) {
    EXPECT_EQ(op["differ"], 0) << op;
    EXPECT_EQ(op["inherited"], 0) << op;
  }
}

INSTANTIATE_TEST_SUITE_P(Examples, ExampleDeterminism, testing::ValuesIn(test::trainable_examples()),
                         [](const auto& test) { return test::letters_of(test.param); });

TEST(DeterminismCommand, SaysWhatItComparedOpByOp) {
  const Outcome o = cli({"determinism", example("sine"), "--threads", "2,5", "--steps", "1"});
  EXPECT_EQ(o.exit, 0) << o.err;
  EXPECT_THAT(o.out, HasSubstr("cpu at 2 and 5 threads, seed "));
  EXPECT_THAT(o.out, HasSubstr("matmul_tn "));
  EXPECT_THAT(o.out, HasSubstr("Deterministic: all "));
}

TEST(DeterminismCommand, RefusesNumbersOfThreadsThatCannotBe) {
  for (const char* threads : {"1", "1,0", "1,2000"}) {
    const Outcome o = cli({"determinism", example("sine"), "--threads", threads});
    EXPECT_EQ(o.exit, 2) << threads;
    EXPECT_THAT(o.err, HasSubstr("HW-C001"));
  }
}

TEST(InspectCommand, SaysWhatANodeDrawsFrom) {
  const auto inspect = [](std::vector<std::string> more) {
    std::vector<std::string> arguments{"inspect", example("image_to_3d"), "--node", "tokens/dropout", "--steps", "3"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cli(arguments).out;
  };
  EXPECT_THAT(inspect({}), HasSubstr("draws from seed 0, stream 0x9179697b, step 3\n"));
  EXPECT_THAT(inspect({"--set", "tokens/dropout.random_step=2", "--set", "tokens/dropout.random_seed=5"}),
              HasSubstr("draws from seed 5 (fixed), stream 0x9179697b, step 2 (fixed)\n"));
}

}  // namespace
}  // namespace hw
