// An entry of a CanvasMenu: text, the key that does the same, a colour swatch, a mark on the current choice.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire

MenuItem {
    id: item

    property string shortcut: ""
    property bool current: false
    property color swatch: "transparent"

    implicitHeight: Theme.row
    padding: Theme.space2
    Accessible.name: text
    background: Rectangle {
        radius: Theme.radiusSmall
        color: item.highlighted ? Theme.hover : "transparent"
    }
    contentItem: Item {
        Rectangle {
            id: dot
            visible: item.swatch.a > 0
            anchors.verticalCenter: parent.verticalCenter
            width: visible ? Theme.space3 : 0
            height: Theme.space3
            radius: width / 2
            color: item.swatch
        }
        Text {
            anchors.left: dot.right
            anchors.leftMargin: dot.visible ? Theme.space2 : 0
            anchors.right: keys.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: item.text
            elide: Text.ElideRight
            color: item.enabled ? Theme.text : Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Text {
            id: keys
            anchors.right: check.left
            anchors.verticalCenter: parent.verticalCenter
            text: item.shortcut
            color: Theme.textMuted
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
        Icon {
            id: check
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            visible: item.current
            width: visible ? size : 0
            name: Icons.check
            size: Theme.space4
            color: Theme.accent
        }
    }
}
