// A slider for a number in a range. Arrow keys step.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.Slider {
    id: root
    implicitWidth: 160
    implicitHeight: Theme.control
    focusPolicy: Qt.StrongFocus
    hoverEnabled: true
    wheelEnabled: false
    Accessible.role: Accessible.Slider

    background: Rectangle {
        y: (root.height - height) / 2
        width: root.width
        height: Theme.space1
        radius: height / 2
        color: Theme.line
        Rectangle {
            width: root.visualPosition * parent.width
            height: parent.height
            radius: parent.radius
            color: Theme.accent
        }
    }
    handle: Rectangle {
        x: root.visualPosition * (root.width - width)
        y: (root.height - height) / 2
        width: Theme.space4
        height: width
        radius: width / 2
        color: root.pressed ? Theme.pressed : root.hovered ? Theme.hover : Theme.raised
        border.width: root.visualFocus ? Theme.focusRing : 1
        border.color: root.visualFocus ? Theme.focus : Theme.accent
    }
}
