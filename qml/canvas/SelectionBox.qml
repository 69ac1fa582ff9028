// The box that is being drawn to select what lies in it.
import QtQuick
import Halfwire

Rectangle {
    required property var surface

    objectName: "canvas:box"
    visible: surface.box.width > 0 || surface.box.height > 0
    x: surface.box.x
    y: surface.box.y
    width: surface.box.width
    height: surface.box.height
    color: Qt.alpha(Theme.selection, 0.12)
    border.color: Theme.accent
}
