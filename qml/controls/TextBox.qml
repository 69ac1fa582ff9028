// A line of text. Enter commits, Esc gives back what was there.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.TextField {
    id: root
    property string iconName
    property bool wrong: false

    implicitHeight: Theme.control
    implicitWidth: 120
    leftPadding: iconName === "" ? Theme.space2 : Theme.space2 + Theme.icon + Theme.space1
    rightPadding: Theme.space2
    color: enabled ? Theme.text : Theme.textFaint
    placeholderTextColor: Theme.textFaint
    selectionColor: Theme.accentDim
    selectedTextColor: Theme.text
    font.family: Theme.family
    font.pixelSize: Theme.sizeBody
    verticalAlignment: TextInput.AlignVCenter
    selectByMouse: true
    hoverEnabled: true
    Accessible.name: placeholderText

    background: Rectangle {
        color: Theme.input
        radius: Theme.radius
        border.width: root.activeFocus ? Theme.focusRing : 1
        border.color: root.wrong ? Theme.error : root.activeFocus ? Theme.focus : root.hovered ? Theme.lineStrong : Theme.line
        Icon {
            visible: root.iconName !== ""
            x: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            name: root.iconName
            color: Theme.textFaint
        }
    }
    Text {
        visible: root.text === "" && !root.preeditText
        x: root.leftPadding
        width: root.width - root.leftPadding - root.rightPadding
        height: root.height
        text: root.placeholderText
        color: root.placeholderTextColor
        font: root.font
        elide: Text.ElideRight
        verticalAlignment: Text.AlignVCenter
    }
}
