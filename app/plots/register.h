// Makes the plots known to QML as the module Halfwire.Plots.
#pragma once

namespace hw::app {

/// Call once, before QML that uses a plot is loaded.
void registerPlotTypes();

}  // namespace hw::app
