// A line between groups of a menu.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.MenuSeparator {
    implicitWidth: 250
    implicitHeight: Theme.space2 + 1
    contentItem: Item {
        Rectangle {
            anchors.verticalCenter: parent.verticalCenter
            width: parent.width
            height: 1
            color: Theme.line
        }
    }
}
