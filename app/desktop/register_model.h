// How a model becomes a type that QML knows.
#pragma once

#include <QtQml/qqml.h>

#include <cstring>

namespace hw::app {

/// In the module Halfwire.Models, by its name in C++: as the type of a property, and to be made by C++ alone. Before
/// the first QML is loaded; GUI thread.
template <typename Model>
void register_model() {
  const char* name = Model::staticMetaObject.className();
  if (const char* colon = std::strrchr(name, ':')) name = colon + 1;
  qmlRegisterUncreatableType<Model>("Halfwire.Models", 1, 0, name, QStringLiteral("Shell has it"));
}

}  // namespace hw::app
