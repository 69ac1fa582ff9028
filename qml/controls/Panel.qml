// A panel: a header with title and actions, and what it holds. Can be closed.
import QtQuick
import Halfwire

FocusScope {
    id: root
    property string title
    property string iconName
    /// Words: the title's place is theirs; none: the title.
    property alias tabs: strip.tabs
    property alias tab: strip.current
    property alias actions: actionRow.data
    default property alias content: body.data
    signal closeRequested()

    Accessible.role: Accessible.Pane
    Accessible.name: title

    Rectangle {
        anchors.fill: parent
        color: Theme.panel
    }
    Item {
        id: header
        width: parent.width
        height: Theme.header
        Icon {
            id: icon
            x: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            name: root.iconName
            color: root.activeFocus ? Theme.accent : Theme.textFaint
        }
        TextLabel {
            anchors.left: icon.right
            anchors.leftMargin: Theme.space2
            anchors.right: actionRow.left
            anchors.verticalCenter: parent.verticalCenter
            visible: root.tabs.length === 0
            text: root.title
            font.weight: Font.DemiBold
            elide: Text.ElideRight
        }
        TabStrip {
            id: strip
            objectName: root.objectName + ":tabs"
            visible: tabs.length > 0
            anchors.left: icon.right
            anchors.leftMargin: Theme.space3 - padding
            room: actionRow.x - icon.x - icon.width
        }
        Row {
            id: actionRow
            anchors.right: close.left
            anchors.verticalCenter: parent.verticalCenter
            spacing: Theme.space1
        }
        IconButton {
            id: close
            objectName: "close:" + root.objectName
            anchors.right: parent.right
            anchors.rightMargin: Theme.space1
            anchors.verticalCenter: parent.verticalCenter
            implicitHeight: Theme.space6
            implicitWidth: Theme.space6
            iconName: Icons.close
            tip: qsTr("Close %1").arg(root.title)
            tint: Theme.textFaint
            focusPolicy: Qt.NoFocus
            onClicked: root.closeRequested()
        }
        Rectangle {
            anchors.bottom: parent.bottom
            width: parent.width
            height: 1
            color: Theme.line
        }
    }
    Item {
        id: body
        anchors.top: header.bottom
        anchors.bottom: parent.bottom
        width: parent.width
        clip: true
    }
}
