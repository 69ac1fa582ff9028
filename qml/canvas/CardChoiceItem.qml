// A choice in the list of a card's parameter: its dtype's colour, its name, a mark on the current one.
import QtQuick
import QtQuick.Controls.Basic
import Halfwire

MenuItem {
    id: item

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
            anchors.right: check.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: item.text
            elide: Text.ElideRight
            color: item.enabled ? Theme.text : Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
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
