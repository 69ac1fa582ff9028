// Why what was typed is not taken, below its field; nothing while it is.
import QtQuick
import Halfwire

Row {
    id: root
    property string text
    visible: text !== ""
    spacing: Theme.space1
    Accessible.role: Accessible.AlertMessage
    Accessible.name: text
    Icon {
        name: Icons.error
        color: Theme.error
    }
    Text {
        width: root.width - Theme.icon - Theme.space1
        text: root.text
        color: Theme.error
        wrapMode: Text.Wrap
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
}
