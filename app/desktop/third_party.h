// What Halfwire is built on, and on what terms: for About.
#pragma once

#include <QVariantList>

namespace hw::app {

/// {name, version (of the build; "" when it has none), licence (SPDX), purpose, url}.
QVariantList third_party();

}  // namespace hw::app
