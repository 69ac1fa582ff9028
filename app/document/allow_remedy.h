// The remedy of HW-A006: the user allows a graph to read what lies outside its folder.
#pragma once

#include <QObject>

#include "engine/graph/check/diagnostic.h"

namespace hw::app {

/// It has no edits: Document::allow does it.
inline Remedy allow_remedy() {
  return {QObject::tr("Allow Reading It").toStdString(), {}};
}

}  // namespace hw::app
