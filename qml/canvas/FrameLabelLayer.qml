// Titles of frames and texts of notes, behind wires and cards. FrameLayer draws their boxes.
import QtQuick

Item {
    required property var surface

    x: surface.camera.originX
    y: surface.camera.originY
    scale: surface.camera.zoom
    transformOrigin: Item.TopLeft
    enabled: surface.frames.edited !== ""  // else each event would look for its target in all of them
    Repeater {
        model: surface.frames
        FrameLabel {
            surface: parent.surface
        }
    }
}
