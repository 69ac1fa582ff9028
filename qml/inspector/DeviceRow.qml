// Where the active node runs: with the graph, or on a device of its own.
import QtQuick
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property InspectorModel inspector
    required property DeviceModel devices
    required property RunModel run
    readonly property real nameWidth: Math.min(140, width * 0.38)
    /// "-": several nodes differ.
    readonly property string pin: inspector.several ? [devices.pin, devices.pinOfSelection()][1] : devices.pin
    visible: root.devices.pinnable
    height: visible ? Theme.control + Theme.space2 : 0

    TextLabel {
        x: Theme.space3
        width: root.nameWidth
        height: Theme.control
        text: qsTr("Device")
        color: root.pin !== "" ? Theme.text : Theme.textMuted
        elide: Text.ElideRight
        tip: qsTr("What goes between a node and its neighbours on another device is copied there each step.")
    }
    ChoiceBox {
        objectName: "node:device"
        readonly property bool absent: root.pin !== "" && root.pin !== "-" && !root.devices.ids.includes(root.pin)
        readonly property var ids: [""].concat(root.devices.ids, absent ? [root.pin] : [])
        x: root.nameWidth + Theme.space3 + Theme.space2
        width: parent.width - x - Theme.space6 - Theme.space3
        Accessible.name: qsTr("Device")
        model: ids.map(id => id === "" ? qsTr("Graph's (%1)").arg(root.run.device)
                             : root.devices.ids.includes(id) ? id : qsTr("%1 (not here)").arg(id))
        footnote: root.devices.notes
        displayText: root.pin === "-" ? qsTr("mixed") : currentText
        currentIndex: ids.indexOf(root.pin)
        onActivated: index => {
            root.devices.pinSelection(ids[index]);
            currentIndex = Qt.binding(() => ids.indexOf(root.pin));
        }
    }
}
