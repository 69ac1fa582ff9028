// Frames and notes, behind wires and cards.
import QtQuick

Item {
    required property var surface

    x: surface.camera.originX
    y: surface.camera.originY
    scale: surface.camera.zoom
    transformOrigin: Item.TopLeft
    Repeater {
        model: surface.frames
        FrameBox {
            surface: parent.surface
        }
    }
}
