// Says that a large graph is being laid out, and how to stop it.
import QtQuick
import Halfwire

Rectangle {
    id: badge
    required property var arrangement
    objectName: "canvas:arranging"
    Accessible.role: Accessible.AlertMessage
    Accessible.name: words.text
    visible: arrangement !== null && arrangement.busy
    y: Theme.space3
    width: words.width + 2 * Theme.space3
    height: Theme.control
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine
    Text {
        id: words
        anchors.centerIn: parent
        text: qsTr("Arranging…  Esc stops")
        color: Theme.text
        font.family: Theme.family
        font.pixelSize: Theme.sizeBody
    }
}
