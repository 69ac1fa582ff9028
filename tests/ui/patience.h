// How long tests with windows wait for what must come: it ends as soon as it may, and a machine may be busy.
#pragma once

#include <QTest>

namespace hw::app {

constexpr int kPatienceMs = 60'000;

}  // namespace hw::app

#undef QTRY_VERIFY
#define QTRY_VERIFY(condition) QTRY_VERIFY_WITH_TIMEOUT((condition), hw::app::kPatienceMs)
#undef QTRY_COMPARE
#define QTRY_COMPARE(got, wanted) QTRY_COMPARE_WITH_TIMEOUT((got), (wanted), hw::app::kPatienceMs)
