// Every key: of the window's actions and of the canvas, from the lists that act on them.
import QtQuick
import QtQuick.Templates as T
import Halfwire

Sheet {
    id: root
    required property var actions  // Actions
    required property var keys     // CanvasKeys
    property var groups: []

    title: qsTr("Keyboard shortcuts")
    width: 760
    height: Math.min(788, parent ? parent.height - 2 * Theme.space8 : 788)
    onAboutToShow: {
        const canvas = [];
        for (const entry of keys.list) {
            const same = canvas.find(e => e.text === entry.does);
            if (same)
                same.keys += "  " + keys.text(entry);
            else
                canvas.push({ text: entry.does, keys: keys.text(entry) });
        }
        groups = [{ title: qsTr("Canvas"), entries: canvas }].concat(actions.groups());
    }

    Flickable {
        objectName: "shortcuts"
        anchors.fill: parent
        clip: true
        contentHeight: columns.height
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}
        Row {
            id: columns
            width: parent.width - Theme.space3
            spacing: Theme.space8
            Repeater {
                model: [root.groups.slice(0, 1), root.groups.slice(1)]
                Column {
                    required property var modelData
                    width: (columns.width - columns.spacing) / 2
                    spacing: Theme.space4
                    Repeater {
                        model: modelData
                        Group {
                            required property var modelData
                            width: parent.width
                            group: modelData
                        }
                    }
                }
            }
        }
    }

    component Group: Column {
        id: group_
        property var group
        spacing: Theme.space1
        Text {
            text: group_.group.title
            color: Theme.textMuted
            bottomPadding: Theme.space1
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            font.weight: Font.DemiBold
        }
        Repeater {
            model: group_.group.entries
            Item {
                required property var modelData
                objectName: "shortcut:" + modelData.text
                property string value: modelData.keys
                width: group_.width
                height: Theme.space6 - Theme.space1
                TextLabel {
                    anchors.left: parent.left
                    anchors.right: word.left
                    height: parent.height
                    text: modelData.text
                }
                Text {
                    id: word
                    anchors.right: parent.right
                    anchors.verticalCenter: parent.verticalCenter
                    text: modelData.keys.replace("Return", "Enter")
                    color: Theme.textMuted
                    font.family: Theme.mono
                    font.pixelSize: Theme.sizeSmall
                }
            }
        }
    }
}
