// A key as on a keyboard: a click waits for another in its place.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.AbstractButton {
    id: root
    property bool waiting: false

    implicitWidth: Math.max(Theme.space6, word.implicitWidth + 2 * Theme.space2)
    implicitHeight: Theme.space6 - Theme.space1
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()
    background: Rectangle {
        radius: Theme.radiusSmall
        color: root.waiting ? Theme.accentDim : root.hovered ? Theme.hover : Theme.input
        border.width: root.visualFocus || root.waiting ? Theme.focusRing : 1
        border.color: root.visualFocus || root.waiting ? Theme.focus : Theme.line
    }
    contentItem: Text {
        id: word
        text: root.waiting ? qsTr("Press a key") : root.text
        color: root.waiting ? Theme.text : Theme.textMuted
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        font.family: root.waiting ? Theme.family : Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
