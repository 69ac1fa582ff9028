// What can be done to a node, or to all that are selected, with the keys that do the same.
import QtQuick
import Halfwire
import Halfwire.Canvas

AppMenu {
    id: menu

    required property var surface
    required property var document
    /// DeviceModel; null: no choice of devices.
    property var devices: null
    property string node: ""
    signal tryPrecisionRequested()
    signal renameRequested(string node)
    signal replaceRequested()
    signal describeRequested(string node)

    // Once it is closed, as what follows takes the focus.
    property bool renames: false
    property bool replaces: false
    property bool describes: false
    property bool isGroup: false
    property bool isShared: false

    function openFor(id) {
        node = id;
        renames = replaces = describes = false;
        isGroup = surface.graph.groups.isGroup(id);
        isShared = isGroup && surface.graph.groups.isShared(id);
        popup(surface.cursor.x, surface.cursor.y);
    }

    objectName: "menu:node"
    onClosed: {
        surface.forceActiveFocus();
        if (renames)
            renameRequested(node);
        if (replaces)
            replaceRequested();
        if (describes)
            describeRequested(node);
    }

    AppMenuItem {
        objectName: "menu:enterGroup"
        visible: menu.isGroup
        height: visible ? implicitHeight : 0
        iconName: Icons.enter
        text: qsTr("Open group")
        keys: KeyBindings.labels["canvas.add"]
        onTriggered: menu.surface.graph.groups.enter(menu.node)
    }
    AppMenuItem {
        objectName: "menu:view"
        iconName: Icons.view
        text: qsTr("View output")
        keys: KeyBindings.labels["canvas.view"]
        onTriggered: menu.surface.graph.edits.viewOutput(menu.node)
    }
    AppMenuItem {
        objectName: "menu:duplicate"
        iconName: Icons.copy
        text: qsTr("Duplicate")
        keys: KeyBindings.labels["canvas.duplicate"]
        onTriggered: menu.surface.graph.clipboard.duplicateSelection()
    }
    AppMenuItem {
        objectName: "menu:rename"
        text: qsTr("Rename")
        keys: KeyBindings.labels["canvas.rename"]
        onTriggered: menu.renames = true
    }
    AppMenuItem {
        objectName: "menu:replace"
        iconName: Icons.transfer
        text: qsTr("Replace…")
        keys: KeyBindings.labels["canvas.replace"]
        onTriggered: menu.replaces = true
    }
    AppMenuItem {
        objectName: "menu:copy"
        text: qsTr("Copy")
        keys: KeyBindings.labels["canvas.copy"]
        onTriggered: menu.surface.graph.clipboard.copySelection()
    }
    AppMenuItem {
        objectName: "menu:bypass"
        text: qsTr("Bypass")
        keys: KeyBindings.labels["canvas.bypass"]
        onTriggered: menu.surface.graph.edits.toggleBypass()
    }
    AppMenuItem {
        objectName: "menu:collapse"
        text: qsTr("Collapse")
        keys: KeyBindings.labels["canvas.collapse"]
        onTriggered: menu.surface.graph.edits.toggleCollapse()
    }
    AppMenuItem {
        objectName: "menu:preview"
        text: qsTr("Preview")
        keys: KeyBindings.labels["canvas.preview"]
        onTriggered: menu.surface.graph.edits.togglePreview()
    }
    AppMenuItem {
        objectName: "menu:arrange"
        text: qsTr("Arrange")
        keys: KeyBindings.labels["canvas.arrange"]
        onTriggered: menu.surface.graph.arrangement.arrange()
    }
    AlignMenu {
        arrangement: menu.surface.graph ? menu.surface.graph.arrangement : null
    }
    AppMenuItem {
        objectName: "menu:group"
        iconName: Icons.group
        text: qsTr("Group")
        keys: KeyBindings.labels["canvas.group"]
        onTriggered: menu.surface.graph.groups.groupSelection()
    }
    AppMenuItem {
        objectName: "menu:frame"
        text: qsTr("Frame")
        keys: KeyBindings.labels["canvas.frame"]
        onTriggered: menu.surface.graph.frames.frameSelection()
    }
    AppMenuItem {
        objectName: "menu:ungroup"
        visible: menu.isGroup
        height: visible ? implicitHeight : 0
        text: qsTr("Ungroup")
        keys: KeyBindings.labels["canvas.ungroup"]
        onTriggered: menu.surface.graph.groups.ungroupSelection()
    }
    AppMenuItem {
        objectName: "menu:describeGroup"
        visible: menu.isGroup
        height: visible ? implicitHeight : 0
        iconName: Icons.docs
        text: qsTr("Describe, save to library…")
        onTriggered: menu.describes = true
    }
    AppMenuItem {
        objectName: "menu:makeUnique"
        visible: menu.isShared
        height: visible ? implicitHeight : 0
        text: qsTr("Make unique")
        onTriggered: menu.surface.graph.groups.makeUnique(menu.node)
    }
    AppMenu {
        id: runOn
        title: qsTr("Run on")
        enabled: menu.devices !== null
        readonly property var places: menu.devices
        readonly property string now: menu.opened && menu.devices ? menu.devices.pinOfSelection() : ""
        AppMenuItem {
            objectName: "menu:runOn:"
            text: qsTr("Graph's device")
            checkable: true
            checked: runOn.now === ""
            onTriggered: runOn.places.pinSelection("")
        }
        Repeater {
            model: menu.devices ? menu.devices.ids : []
            AppMenuItem {
                required property string modelData
                objectName: "menu:runOn:" + modelData
                text: modelData
                checkable: true
                checked: runOn.now === modelData
                onTriggered: runOn.places.pinSelection(modelData)
            }
        }
    }
    AppMenuItem {
        objectName: "menu:node:tryPrecision"
        text: qsTr("Try precision here…")
        keys: KeyBindings.labels["run.tryPrecision"]
        onTriggered: menu.tryPrecisionRequested()
    }
    AppMenuItem {
        objectName: "menu:delete"
        iconName: Icons.remove
        text: qsTr("Delete")
        keys: KeyBindings.labels["canvas.delete"]
        onTriggered: menu.surface.deleteSelected()
    }
}
