// All nodes in small, with a frame around what is seen: a click or drag goes there. Not there while all are in view.
import QtQuick
import Halfwire
import Halfwire.Canvas

Rectangle {
    id: pane

    required property var surface
    property bool on: true

    objectName: "canvas:minimap"
    Accessible.role: Accessible.Graphic
    Accessible.name: qsTr("Minimap")
    visible: on && map.needed
    width: Theme.minimap.width
    height: Math.max(Theme.space8, Math.min(Theme.minimap.height, Math.round(map.fullHeight)))
    radius: Theme.radius
    color: Theme.panel
    border.color: Theme.cardLine

    Minimap {
        id: map
        anchors.fill: parent
        anchors.margins: 1
        view: pane.on ? pane.surface : null
        Rectangle {
            objectName: "canvas:minimap:seen"
            // Large enough to be seen, around the middle of what it stands for.
            width: Math.max(Theme.space2, map.seen.width)
            height: Math.max(Theme.space2, map.seen.height)
            x: map.seen.x + (map.seen.width - width) / 2
            y: map.seen.y + (map.seen.height - height) / 2
            color: Qt.alpha(Theme.accent, 0.16)
            border.color: Theme.accent
            radius: 1
        }
    }
    MouseArea {
        anchors.fill: map
        hoverEnabled: true  // what lies below is not hovered
        onPressed: mouse => map.goTo(Qt.point(mouse.x, mouse.y))
        onPositionChanged: mouse => {
            if (pressed)
                map.goTo(Qt.point(mouse.x, mouse.y));
        }
    }
}
