// Makes the canvas items known to QML as the module Halfwire.Canvas.
#pragma once

namespace hw::app {

/// Call once, before QML that uses the canvas is loaded.
void registerCanvasTypes();

}  // namespace hw::app
