// A small button that stands for one of a few things, with its colour.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.AbstractButton {
    id: root
    property color dot: "transparent"
    property bool wrong: false

    implicitWidth: content.implicitWidth + 2 * Theme.space2
    implicitHeight: Theme.space6
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.role: Accessible.RadioButton
    Accessible.name: text
    background: Rectangle {
        radius: Theme.radius
        color: root.checked ? Theme.accentDim : root.hovered ? Theme.hover : Theme.raised
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : root.wrong ? Theme.error : root.checked ? Theme.accent : Theme.line
    }
    contentItem: Item {
        implicitWidth: content.implicitWidth
        Row {
            id: content
            anchors.centerIn: parent
            spacing: Theme.space1
            Rectangle {
                visible: root.dot.a > 0
                anchors.verticalCenter: parent.verticalCenter
                width: Theme.space2
                height: width
                radius: width / 2
                color: root.dot
            }
            Text {
                text: root.text
                color: root.wrong ? Theme.error : Theme.text
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
        }
    }
}
