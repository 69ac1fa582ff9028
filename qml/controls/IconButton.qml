// A flat button with an icon, and a word when there is room for one. The tip names it and its shortcut.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.AbstractButton {
    id: root
    property string iconName
    property string tip: text
    property string shortcutText
    property color tint: Theme.text
    property bool primary: false

    implicitWidth: Math.max(Theme.control, content.implicitWidth + 2 * Theme.space2 - (text === "" ? Theme.space2 : 0))
    implicitHeight: Theme.control
    focusPolicy: Qt.TabFocus
    hoverEnabled: true
    Accessible.role: Accessible.Button
    Accessible.name: tip
    Accessible.onPressAction: root.clicked()
    Keys.onReturnPressed: root.clicked()
    Keys.onEnterPressed: root.clicked()

    background: Rectangle {
        radius: Theme.radius
        color: root.primary ? (root.enabled ? (root.hovered ? Theme.focus : Theme.accent) : Theme.hover)
             : root.down ? Theme.pressed
             : root.checked ? Theme.accentDim
             : root.hovered && root.enabled ? Theme.hover : "transparent"
        border.width: root.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
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
                color: word.color
            }
            Text {
                id: word
                visible: text !== ""
                anchors.verticalCenter: parent.verticalCenter
                text: root.text
                color: !root.enabled ? Theme.lineStrong : root.primary ? Theme.accentText : root.tint
                font.family: Theme.family
                font.pixelSize: Theme.sizeBody
                font.weight: root.primary ? Font.DemiBold : Font.Normal
            }
        }
    }
    Tip {
        visible: root.hovered && root.tip !== "" && (root.tip !== root.text || root.shortcutText !== "")
        text: root.tip + (root.shortcutText === "" ? "" : "  (" + root.shortcutText + ")")
    }
}
