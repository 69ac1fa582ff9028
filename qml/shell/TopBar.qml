// Menus, file and edit buttons, the name of the graph, and the run.
import QtQuick
import QtQuick.Layouts
import QtQuick.Controls.Basic as Basic
import Halfwire
import Halfwire.App

Rectangle {
    id: root
    required property var actions
    required property var panels  // PanelStates
    required property var look    // Look
    /// What has the keys when a menu is closed and what had them is gone.
    required property Item home
    signal canvasRequested(string name)

    implicitHeight: Theme.bar
    color: Theme.panel

    RowLayout {
        anchors.fill: parent
        anchors.leftMargin: Theme.space1
        anchors.rightMargin: Theme.space2
        spacing: Theme.space1

        MainMenu {
            actions: root.actions
            panels: root.panels
            look: root.look
            home: root.home
            onCanvasRequested: name => root.canvasRequested(name)
        }
        Line {}
        IconButton {
            objectName: "tool:undo"
            iconName: Icons.undo
            tip: root.actions.undo.text
            shortcutText: root.actions.undo.keys
            enabled: root.actions.undo.enabled
            onClicked: root.actions.undo.trigger()
        }
        IconButton {
            objectName: "tool:redo"
            iconName: Icons.redo
            tip: root.actions.redo.text
            shortcutText: root.actions.redo.keys
            enabled: root.actions.redo.enabled
            onClicked: root.actions.redo.trigger()
        }
        IconButton {
            objectName: "tool:save"
            iconName: Icons.save
            tip: qsTr("Save")
            shortcutText: root.actions.save.keys
            tint: App.document.marked ? Theme.text : Theme.textFaint
            onClicked: root.actions.save.trigger()
        }
        Item {
            Layout.fillWidth: true
            Layout.minimumWidth: Theme.space2
            implicitHeight: Theme.control
            TextLabel {
                objectName: "documentTitle"
                opacity: parent.width > Theme.space8 ? 1 : 0  // of less room nothing can be read
                x: Math.max(0, (parent.width - width) / 2)
                width: Math.min(implicitWidth, parent.width)
                height: parent.height
                text: App.document.title + (App.document.marked ? " •" : "")
                tip: App.document.path
                font.weight: Font.DemiBold
            }
        }
        RunBar {
            actions: root.actions
            look: root.look
        }
    }
    Rectangle {
        anchors.bottom: parent.bottom
        width: parent.width
        height: 1
        color: Theme.line
    }
    Rectangle {
        objectName: "runProgress"
        property real value: App.run.progress
        visible: App.run.running || App.run.paused
        anchors.bottom: parent.bottom
        width: parent.width * App.run.progress
        height: 2
        color: App.run.paused ? Theme.warning : Theme.accent
    }
    component Line: Rectangle {
        implicitWidth: 1
        implicitHeight: Theme.space6
        Layout.leftMargin: Theme.space1
        Layout.rightMargin: Theme.space1
        color: Theme.line
    }
}
