// The zoom in percent; a click brings back 100 %.
import QtQuick
import Halfwire

Rectangle {
    id: badge

    required property var surface
    readonly property real zoom: surface.camera.zoom
    readonly property alias text: label.text

    function reset() {
        surface.camera.zoomTo(Qt.point(surface.width / 2, surface.height / 2), 1);
    }

    objectName: "canvas:zoom"
    Accessible.role: Accessible.Button
    Accessible.name: qsTr("Zoom %1").arg(label.text)
    Accessible.onPressAction: reset()
    anchors.right: parent.right
    anchors.bottom: parent.bottom
    anchors.margins: Theme.space3
    width: Theme.space8 + (Theme.space4 + Theme.space1)
    height: Theme.space6
    radius: Theme.radiusSmall
    color: press.containsMouse ? Theme.hover : Theme.raised
    border.color: Theme.cardLine

    Text {
        id: label
        anchors.centerIn: parent
        text: qsTr("%1 %").arg(Math.round(badge.zoom * 100))
        color: Theme.textMuted
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    MouseArea {
        id: press
        anchors.fill: parent
        hoverEnabled: true
        onClicked: badge.reset()
    }
}
