// An action and its keys: each can be replaced or taken away, others added, the default brought back.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root
    required property string name
    /// {name, key} that waits for a key; null: none.
    property var waiting: null
    signal wanted(string key)
    signal removed(string key)

    readonly property var entry: KeyBindings.entries[name]
    readonly property string title: KeyBindings.title(name)
    readonly property bool waits: waiting !== null && waiting.name === name
    property string value: entry.keys.map(k => k.label).join(", ")

    function takeFocus() {
        more.forceActiveFocus(Qt.TabFocusReason);
    }

    objectName: "shortcut:" + name
    implicitHeight: Theme.space6

    HoverHandler { id: pointed }
    TextLabel {
        anchors.left: parent.left
        anchors.right: keys.left
        anchors.rightMargin: Theme.space2
        height: parent.height
        text: root.title
    }
    Row {
        id: keys
        anchors.right: parent.right
        anchors.verticalCenter: parent.verticalCenter
        spacing: Theme.space1
        Small {
            objectName: "shortcut:reset:" + root.name
            visible: root.entry.changed
            iconName: Icons.revert
            tip: qsTr("The default again")
            onClicked: {
                KeyBindings.reset(root.name);
                root.takeFocus();
            }
        }
        Repeater {
            model: root.entry.keys
            KeyChip {
                required property var modelData
                objectName: "shortcut:" + root.name + ":" + modelData.key
                text: modelData.label
                waiting: root.waits && root.waiting.key === modelData.key
                onClicked: root.wanted(modelData.key)
            }
        }
        KeyChip {
            objectName: "shortcut:new"
            visible: root.waits && root.waiting.key === ""
            waiting: true
        }
        Small {
            objectName: "shortcut:remove"
            visible: root.waits && root.waiting.key !== ""
            iconName: Icons.remove
            tip: qsTr("Take this key away")
            onClicked: root.removed(root.waiting.key)
        }
        Small {
            id: more
            objectName: "shortcut:add:" + root.name
            iconName: Icons.add
            tint: pointed.hovered || activeFocus ? Theme.text : Theme.textFaint
            tip: root.entry.keys.length ? qsTr("Another key") : qsTr("A key")
            onClicked: root.wanted("")
        }
    }
    component Small: IconButton {
        implicitWidth: Theme.space6 - Theme.space1
        implicitHeight: Theme.space6 - Theme.space1
    }
}
