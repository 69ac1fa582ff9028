// A row of a menu: check mark or icon, word, keys.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.MenuItem {
    id: root
    property string iconName
    property string keys: action?.keys ?? ""  // of a KeyAction

    implicitWidth: 250
    implicitHeight: Theme.row
    hoverEnabled: true
    Accessible.role: Accessible.MenuItem
    Accessible.name: text
    background: Rectangle {
        color: root.highlighted && root.enabled ? Theme.hover : "transparent"
        radius: Theme.radiusSmall
    }
    contentItem: Item {
        Icon {
            id: mark
            x: Theme.space1
            anchors.verticalCenter: parent.verticalCenter
            name: root.checkable ? (root.checked ? Icons.check : "") : root.iconName
            color: word.color
            width: Theme.icon
        }
        Text {
            id: word
            anchors.left: mark.right
            anchors.leftMargin: Theme.space2
            anchors.right: keyText.left
            anchors.verticalCenter: parent.verticalCenter
            text: root.text
            elide: Text.ElideRight
            color: root.enabled ? Theme.text : Theme.textFaint
            opacity: root.enabled ? 1 : 0.6
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Icon {
            visible: root.subMenu !== null
            anchors.right: parent.right
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.right
        }
        Text {
            id: keyText
            objectName: root.objectName + ":keys"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, parent.width * 0.6)
            elide: Text.ElideMiddle
            text: root.keys
            color: Theme.textFaint
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
