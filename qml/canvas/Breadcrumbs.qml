// Where the graph on the canvas lies: the document, and the groups that it is in. A click goes there.
import QtQuick
import Halfwire
import Halfwire.Canvas

Rectangle {
    id: trail

    required property var groups
    readonly property var crumbs: groups ? groups.breadcrumbs : []

    objectName: "breadcrumbs"
    Accessible.role: Accessible.ToolBar
    Accessible.name: qsTr("Groups around")
    visible: crumbs.length > 1
    width: row.width + Theme.space2
    height: Theme.control + Theme.space1
    radius: Theme.radius
    color: Theme.raised
    border.color: Theme.cardLine

    Row {
        id: row
        x: Theme.space1
        anchors.verticalCenter: parent.verticalCenter
        Repeater {
            model: trail.crumbs
            Row {
                id: crumb
                required property var modelData
                required property int index
                readonly property bool last: index === trail.crumbs.length - 1
                Icon {
                    visible: crumb.index > 0
                    anchors.verticalCenter: parent.verticalCenter
                    name: Icons.right
                    color: Theme.textFaint
                }
                IconButton {
                    objectName: "breadcrumb:" + crumb.modelData.path
                    text: crumb.modelData.title
                    tip: crumb.last ? qsTr("This is on the canvas") : qsTr("Back to %1").arg(text)
                    shortcutText: crumb.index === trail.crumbs.length - 2 ? KeyBindings.labels["canvas.leave"] : ""
                    tint: crumb.last ? Theme.text : Theme.textMuted
                    onClicked: trail.groups.open(crumb.modelData.path)
                }
            }
        }
        Text {
            objectName: "breadcrumbs:shared"
            readonly property int others: trail.groups ? trail.groups.otherInstances : 0
            visible: others > 0
            anchors.verticalCenter: parent.verticalCenter
            leftPadding: Theme.space2
            rightPadding: Theme.space2
            text: others === 1 ? qsTr("1 other instance follows") : qsTr("%1 other instances follow").arg(others)
            color: Theme.warning
            font.family: Theme.family
            font.pixelSize: Theme.sizeSmall
        }
    }
}
