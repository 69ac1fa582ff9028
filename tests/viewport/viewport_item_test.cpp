// Runs the scenarios as child processes under the validation layer and judges the layer's own log.
#include <gtest/gtest.h>

#include <QDir>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <iostream>

#include "tests/viewport/validation_log.h"
#include "tests/viewport/viewport_item_scenario.h"

namespace hw::viewport {
namespace {

struct Outcome {
  int exit_code = -1;
  std::string output;
  std::optional<std::string> log;
};

Outcome run_scenario(const QString& argument, bool validate, const QString& scale = "1") {
  const QTemporaryDir directory;
  const QString log = directory.filePath("validation.log");
  QProcess process;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  environment.insert("QT_SCALE_FACTOR", scale);
  if (validate) environment.insert("HALFWIRE_VULKAN_LOG", log);
  process.setProcessEnvironment(environment);
  process.setProcessChannelMode(QProcess::MergedChannels);
  process.start(QFile::symLinkTarget("/proc/self/exe"), {argument});
  process.waitForFinished(240'000);
  Outcome run;
  run.exit_code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  run.output = process.readAll().toStdString();
  if (validate) run.log = test::read_validation_log(log.toStdString());
  if (run.log) run.log = test::without_those_of_qt(*run.log);  // the device is Qt's
  std::cout << run.output;
  return run;
}

TEST(ViewportItem, LivesWithoutAValidationMessage) {
  const Outcome run = run_scenario("--life", true);
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_TRUE(run.log) << test::kNoLog;
  EXPECT_EQ(*run.log, "");
}

TEST(ViewportItem, ManyWindowsLeaveNothingBehind) {
  const Outcome run = run_scenario("--opens", true);
  EXPECT_EQ(run.exit_code, 0);
  ASSERT_TRUE(run.log) << test::kNoLog;
  EXPECT_EQ(*run.log, "");
  EXPECT_EQ(run_scenario("--opens", false).exit_code, 0);
}

TEST(ViewportItem, APlantedViolationIsSeen) {
  const Outcome run = run_scenario("--life-planted", true);
  ASSERT_TRUE(run.log) << test::kNoLog;
  EXPECT_NE(run.log->find("VUID-VkBufferCreateInfo-size-00912"), std::string::npos) << *run.log;
}

TEST(ViewportItem, ShowsTheHeadlessRenderersPixels) {
  for (const char* scale : {"1", "1.5", "2"}) EXPECT_EQ(run_scenario("--exact", false, scale).exit_code, 0) << scale;
}

TEST(ViewportItem, ShowsThemWithAFieldOfTheDevice) {
  EXPECT_EQ(run_scenario("--exact-on-device", false).exit_code, 0);
}

// Times only mean something without the layer, which checks every call.
TEST(ViewportItem, NeverHoldsUpTheRenderThread) {
  EXPECT_EQ(run_scenario("--life", false).exit_code, 0);
}

}  // namespace
}  // namespace hw::viewport

int main(int argc, char** argv) {
  using namespace hw::viewport;
  const std::string mode = argc > 1 ? argv[1] : "";
  if (mode == "--life") return test::run_life(argc, argv, false);
  if (mode == "--life-planted") return test::run_life(argc, argv, true);
  if (mode == "--opens") return test::run_opens(argc, argv);
  if (mode == "--exact") return test::run_exact(argc, argv, false) == 0 ? 0 : 1;
  if (mode == "--exact-on-device") return test::run_exact(argc, argv, true) == 0 ? 0 : 1;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
