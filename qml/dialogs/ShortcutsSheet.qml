// Every key of the window, to be found and changed: a click on a key waits for the one that is to take its place.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Canvas

Sheet {
    id: root
    /// {name, key} that waits for a key, key "": for one more; null: none waits.
    property var waiting: null
    /// {name, old, key, owner}: a key that another action has; null: none.
    property var clash: null
    property Item row: null  // that is edited

    function matches(name: string): bool {
        const query = search.text.trim().toLowerCase();
        return query === "" || KeyBindings.title(name).toLowerCase().includes(query)
            || KeyBindings.entries[name].keys.some(k => k.label.toLowerCase().includes(query));
    }
    function wait(item, key) {
        clash = null;
        row = item;
        waiting = { name: item.name, key: key };
        catcher.forceActiveFocus();
    }
    function give(name, old, key) {
        const item = row;
        waiting = null;
        clash = null;
        KeyBindings.set(name, old, key);
        item?.takeFocus();
    }
    function pressed(key) {
        const owner = KeyBindings.owner(waiting.name, key);
        if (owner === "")
            return give(waiting.name, waiting.key, key);
        clash = { name: waiting.name, old: waiting.key, key: key, owner: owner };
        waiting = null;
        take.forceActiveFocus(Qt.TabFocusReason);
    }
    function letGo() {
        waiting = null;
        clash = null;
        row?.takeFocus();
    }

    title: qsTr("Keyboard shortcuts")
    width: Math.min(880, parent ? parent.width - 2 * Theme.space8 : 880)
    height: Math.min(840, parent ? parent.height - 2 * Theme.space8 : 840)
    onAboutToShow: {
        search.text = "";
        waiting = null;
        clash = null;
        search.forceActiveFocus();
    }

    Item {
        id: catcher
        Keys.onShortcutOverride: event => event.accepted = true
        Keys.onPressed: event => {
            event.accepted = true;
            if (root.waiting === null || event.isAutoRepeat)
                return;
            if (event.key === Qt.Key_Escape)
                return root.letGo();
            const key = KeyBindings.pressed(event.key, event.modifiers);
            if (key !== "")
                root.pressed(key);
        }
        onActiveFocusChanged: if (!activeFocus) root.waiting = null
    }
    TextBox {
        id: search
        objectName: "shortcuts:search"
        anchors.left: parent.left
        anchors.right: resetAll.left
        anchors.rightMargin: Theme.space2
        iconName: Icons.search
        placeholderText: qsTr("Search by name or key")
    }
    PushButton {
        id: resetAll
        objectName: "shortcuts:resetAll"
        anchors.right: parent.right
        height: search.height
        text: qsTr("All defaults")
        enabled: KeyBindings.customised
        onClicked: {
            root.clash = null;
            KeyBindings.resetAll();
            search.forceActiveFocus();
        }
    }
    Flickable {
        objectName: "shortcuts"
        anchors.top: search.bottom
        anchors.topMargin: Theme.space3
        anchors.bottom: bar.top
        width: parent.width
        clip: true
        contentHeight: columns.height
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}
        Row {
            id: columns
            width: parent.width - Theme.space3
            spacing: Theme.space8
            Repeater {
                model: [KeyBindings.groups.slice(0, 1), KeyBindings.groups.slice(1)]
                Column {
                    required property var modelData
                    width: (columns.width - columns.spacing) / 2
                    visible: modelData.some(g => g.ids.some(id => root.matches(id)))
                    spacing: Theme.space4
                    Repeater {
                        model: modelData
                        Group {
                            required property var modelData
                            width: parent.width
                            group: modelData
                            waiting: root.waiting
                            matches: root.matches
                            onWanted: (row, key) => root.wait(row, key)
                            onRemoved: (name, key) => root.give(name, key, "")
                        }
                    }
                }
            }
        }
    }
    Rectangle {
        id: bar
        anchors.bottom: parent.bottom
        width: parent.width
        height: root.clash === null ? 0 : Theme.control + 2 * Theme.space2
        visible: root.clash !== null
        radius: Theme.radius
        color: Theme.raised
        border.color: Theme.warning
        Keys.onShortcutOverride: event => event.accepted = event.key === Qt.Key_Escape
        Keys.onEscapePressed: root.letGo()
        Icon {
            id: mark
            x: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            name: Icons.warning
            color: Theme.warning
        }
        TextLabel {
            objectName: "shortcuts:clash"
            anchors.left: mark.right
            anchors.leftMargin: Theme.space2
            anchors.right: take.left
            anchors.rightMargin: Theme.space2
            height: parent.height
            text: root.clash === null ? "" : qsTr("%1 is the key of “%2”").arg(KeyBindings.label(root.clash.key)).arg(KeyBindings.title(root.clash.owner))
        }
        PushButton {
            id: take
            objectName: "shortcuts:take"
            anchors.right: leave.left
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: root.clash === null ? "" : qsTr("Give it to “%1”").arg(KeyBindings.title(root.clash.name))
            primary: true
            onClicked: root.give(root.clash.name, root.clash.old, root.clash.key)
        }
        PushButton {
            id: leave
            objectName: "shortcuts:leave"
            anchors.right: parent.right
            anchors.rightMargin: Theme.space2
            anchors.verticalCenter: parent.verticalCenter
            text: qsTr("Leave it")
            onClicked: root.letGo()
        }
    }

    component Group: Column {
        id: group_
        property var group
        property var waiting
        property var matches
        signal wanted(Item row, string key)
        signal removed(string name, string key)
        spacing: Theme.space1
        visible: group.ids.some(id => matches(id))
        Text {
            text: group_.group.title
            color: Theme.textMuted
            bottomPadding: Theme.space1
            font.family: Theme.family
            font.pixelSize: Theme.sizeBody
            font.weight: Font.DemiBold
        }
        Repeater {
            model: group_.group.ids
            ShortcutRow {
                id: line
                required property string modelData
                name: modelData
                visible: group_.matches(modelData)
                width: group_.width
                waiting: group_.waiting
                onWanted: key => group_.wanted(line, key)
                onRemoved: key => group_.removed(name, key)
            }
        }
    }
}
