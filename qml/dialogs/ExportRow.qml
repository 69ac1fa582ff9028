// A node that cannot be exported: why, and what to do. A click, or Enter, goes to it.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ItemDelegate {
    id: root
    required property int index
    required property string node
    required property string reason
    required property string remedy
    signal chosen(int row)

    objectName: "export:row:" + index
    implicitHeight: words.height + 2 * Theme.space2
    hoverEnabled: node !== ""
    focusPolicy: node !== "" ? Qt.TabFocus : Qt.NoFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: node + ": " + reason + " " + remedy
    onClicked: if (node !== "") chosen(index)
    Keys.onReturnPressed: clicked()
    Keys.onEnterPressed: clicked()

    background: Rectangle {
        radius: Theme.radiusSmall
        color: root.hovered && root.node !== "" ? Theme.hover : "transparent"
        border.width: root.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
    }
    contentItem: Item {}
    Column {
        id: words
        x: Theme.space2
        y: Theme.space2
        width: root.width - 2 * Theme.space2 - Theme.space3
        spacing: Theme.space1
        TextLabel {
            objectName: "export:node:" + root.index
            visible: text !== ""
            width: parent.width
            text: root.node
            font.weight: Font.DemiBold
        }
        Text {
            objectName: "export:reason:" + root.index
            width: parent.width
            text: root.reason
            color: Theme.text
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
        Text {
            objectName: "export:remedy:" + root.index
            visible: text !== ""
            width: parent.width
            text: root.remedy
            color: Theme.textMuted
            wrapMode: Text.WrapAtWordBoundaryOrAnywhere
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
}
