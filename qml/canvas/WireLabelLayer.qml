// dtype and shape in the middle of every wire in view, from near. As large as words elsewhere, however near.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root

    required property var surface
    // From afar nothing here follows the camera.
    readonly property real zoom: labels.near ? surface.camera.zoom : 1

    visible: labels.near
    x: labels.near ? surface.camera.originX : 0
    y: labels.near ? surface.camera.originY : 0
    scale: zoom
    transformOrigin: Item.TopLeft

    Repeater {
        model: WireLabels {
            id: labels
            view: root.surface
        }
        Item {
            id: place
            required property int index
            required property string words
            required property real middleX
            required property real middleY
            required property real room
            required property bool shown
            /// Pixels between the two cards that words may fill.
            readonly property real free: room > 0 ? room * root.zoom - 2 * Theme.space6 : Theme.space8 * 8

            x: middleX
            y: middleY
            scale: 1 / root.zoom
            visible: shown && free >= Theme.space8
            Rectangle {
                anchors.centerIn: parent
                width: label.width + 2 * Theme.space1
                height: label.height + Theme.space1
                radius: Theme.radiusSmall
                color: Qt.alpha(Theme.canvas, 0.92)
            }
            Text {
                id: label
                objectName: "wireLabel:" + place.index
                Accessible.role: Accessible.StaticText
                Accessible.name: place.words
                anchors.centerIn: parent
                width: Math.min(implicitWidth, place.free)
                text: place.words
                elide: Text.ElideRight
                color: Theme.textMuted
                font.family: Theme.mono
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
}
