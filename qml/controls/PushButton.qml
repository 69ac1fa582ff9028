// A button with a word: remedies, dialogs. `primary` marks the one that Enter means.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.Button {
    id: root
    property bool primary: false
    property string iconName

    implicitWidth: content.implicitWidth + 2 * Theme.space3
    implicitHeight: Theme.control
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    Accessible.role: Accessible.Button
    Accessible.name: text
    Keys.onReturnPressed: root.clicked()
    Keys.onEnterPressed: root.clicked()

    background: Rectangle {
        radius: Theme.radius
        color: root.primary ? (root.down ? Theme.focus : Theme.accent)
             : root.down ? Theme.pressed : root.hovered ? Theme.hover : Theme.raised
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : root.primary ? Theme.accent : Theme.lineStrong
        opacity: root.enabled ? 1 : 0.5
    }
    contentItem: Item {
        implicitWidth: content.implicitWidth
        Row {
            id: content
            anchors.centerIn: parent
            spacing: Theme.space1
            Icon {
                visible: root.iconName !== ""
                anchors.verticalCenter: parent.verticalCenter
                name: root.iconName
                color: label.color
            }
            Text {
                id: label
                anchors.verticalCenter: parent.verticalCenter
                text: root.text
                color: root.primary ? Theme.accentText : Theme.text
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
                font.weight: root.primary ? Font.DemiBold : Font.Normal
            }
        }
    }
}
