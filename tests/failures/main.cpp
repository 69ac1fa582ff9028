// Runs the tests inside an application without a display; or one operation that dies.
#include <gtest/gtest.h>

#include <QGuiApplication>
#include <cstring>

#include "tests/failures/nth_crash.h"

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  const QGuiApplication app(argc, argv);
  if (argc > 1 && std::strcmp(argv[1], hw::test::kDie) == 0) return hw::test::die_in_operation(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
