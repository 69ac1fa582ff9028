// In a card's header: the device that the node runs on, where it is not simply the graph's.
import QtQuick
import Halfwire

Rectangle {
    id: badge
    required property string device
    readonly property string text: qsTr("Runs on %1, whatever the graph runs on").arg(device)

    anchors.verticalCenter: parent.verticalCenter
    width: word.implicitWidth + 2 * Theme.space1 + Theme.space1
    height: Theme.space4 + Theme.space1 / 2
    radius: Theme.radiusSmall
    color: Theme.accentDim
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    Text {
        id: word
        anchors.centerIn: parent
        text: badge.device
        color: Theme.text
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered
        sourceComponent: CardTip {
            text: badge.text
        }
    }
}
