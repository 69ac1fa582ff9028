// A tab for each open document: its name, whether it is saved, whether it trains. Middle click or × closes.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.App
import Halfwire.Canvas

Rectangle {
    id: root
    signal closeRequested(int row)
    signal newRequested()

    objectName: "documentTabs"
    implicitHeight: visible ? Theme.header : 0
    height: implicitHeight
    color: Theme.window

    ListView {
        id: list
        anchors.left: parent.left
        anchors.top: parent.top
        anchors.bottom: parent.bottom
        width: Math.min(contentWidth, parent.width - add.width)
        orientation: ListView.Horizontal
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        model: App.documents
        currentIndex: App.documents.current
        highlightMoveDuration: 0
        onCurrentIndexChanged: positionViewAtIndex(currentIndex, ListView.Contain)
        Accessible.role: Accessible.PageTabList
        delegate: T.AbstractButton {
            id: tab
            required property int index
            required property string title
            required property string path
            required property bool modified
            required property string state
            required property real progress
            readonly property bool busy: state === "running" || state === "preparing"

            objectName: "tab:" + title
            text: title + (modified ? " •" : "")
            width: Theme.tab
            height: list.height
            hoverEnabled: true
            focusPolicy: Qt.TabFocus
            checked: index === App.documents.current
            Accessible.role: Accessible.PageTab
            Accessible.name: text
            onClicked: App.documents.current = index
            background: Rectangle {
                color: tab.checked ? Theme.panel : tab.hovered ? Theme.hover : Theme.window
                border.width: tab.visualFocus ? Theme.focusRing : 0
                border.color: Theme.focus
                Rectangle {
                    visible: tab.checked
                    width: parent.width
                    height: 2
                    color: Theme.accent
                }
                Rectangle {
                    anchors.right: parent.right
                    width: 1
                    height: parent.height
                    color: Theme.line
                }
                Rectangle {
                    visible: tab.busy
                    anchors.bottom: parent.bottom
                    width: parent.width * tab.progress
                    height: 2
                    color: Theme.ok
                }
            }
            contentItem: Item {
                Icon {
                    id: mark
                    x: Theme.space2
                    anchors.verticalCenter: parent.verticalCenter
                    visible: tab.busy
                    name: Icons.run
                    color: Theme.ok
                }
                TextLabel {
                    anchors.left: mark.visible ? mark.right : parent.left
                    anchors.leftMargin: mark.visible ? Theme.space1 : Theme.space3
                    anchors.right: close.left
                    height: parent.height
                    text: tab.text
                    tip: tab.path
                    color: tab.checked ? Theme.text : Theme.textMuted
                }
                IconButton {
                    id: close
                    objectName: "tab:close:" + tab.title
                    anchors.right: parent.right
                    anchors.rightMargin: Theme.space1
                    anchors.verticalCenter: parent.verticalCenter
                    implicitWidth: Theme.space6
                    implicitHeight: Theme.space6
                    iconName: Icons.close
                    tip: qsTr("Close")
                    onClicked: root.closeRequested(tab.index)
                }
            }
            TapHandler {
                acceptedButtons: Qt.MiddleButton
                onTapped: root.closeRequested(tab.index)
            }
        }
    }
    IconButton {
        id: add
        objectName: "tab:new"
        anchors.left: list.right
        anchors.verticalCenter: parent.verticalCenter
        iconName: Icons.add
        tip: qsTr("A new document")
        shortcutText: KeyBindings.labels["file.new"]
        onClicked: root.newRequested()
    }
    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
}
