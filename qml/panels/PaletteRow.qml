// A node type, a group or a block in the palette.
import QtQuick
import QtQuick.Templates as T
import Halfwire

T.ItemDelegate {
    id: row
    required property string type
    required property string title
    required property string category
    required property string summary
    required property string origin
    signal addRequested()
    signal menuRequested()
    signal grabbed()
    signal moved(point scene)
    signal letGo()
    signal cancelled()

    objectName: "palette:" + type
    text: title
    height: Theme.row
    hoverEnabled: true
    focusPolicy: Qt.TabFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: title
    Accessible.description: summary
    Keys.onMenuPressed: menuRequested()
    onDoubleClicked: addRequested()
    Keys.onReturnPressed: addRequested()
    Component.onDestruction: if (drag.active) cancelled()

    background: Rectangle {
        color: row.down ? Theme.pressed : row.highlighted || row.hovered ? Theme.hover : "transparent"
        border.width: row.visualFocus ? Theme.focusRing : 0
        border.color: Theme.focus
    }
    contentItem: Item {
        Icon {
            id: icon
            x: Theme.space3
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.category(row.category)
            color: Theme.category(row.category)
        }
        Text {
            anchors.left: icon.right
            anchors.leftMargin: Theme.space2
            anchors.right: parent.right
            anchors.rightMargin: mark.visible ? mark.width + Theme.space4 : Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: row.title
            elide: Text.ElideRight
            color: Theme.text
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
        }
    }
    Text {
        id: mark
        anchors.right: parent.right
        anchors.rightMargin: Theme.space2
        anchors.verticalCenter: parent.verticalCenter
        visible: row.origin === "own" || row.origin === "document"
        text: row.origin === "own" ? qsTr("yours") : qsTr("this file")
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: row.menuRequested()
    }
    DragHandler {
        id: drag
        target: null
        dragThreshold: Theme.space1
        grabPermissions: PointerHandler.CanTakeOverFromAnything
        onActiveChanged: active ? row.grabbed() : row.letGo()
        onCentroidChanged: if (active) row.moved(centroid.scenePosition)
        onCanceled: row.cancelled()
    }
    Tip {
        visible: row.hovered && !row.down && !drag.active
        text: row.summary
        x: row.width
        y: 0
    }
}
