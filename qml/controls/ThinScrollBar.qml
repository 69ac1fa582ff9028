// A scroll bar that keeps out of the way.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ScrollBar {
    id: root
    implicitWidth: Theme.space2
    implicitHeight: Theme.space2
    padding: 1
    visible: policy !== T.ScrollBar.AlwaysOff && size < 1
    minimumSize: 0.08
    contentItem: Rectangle {
        radius: width / 2
        color: root.pressed ? Theme.textFaint : root.hovered ? Theme.lineStrong : Theme.line
    }
}
