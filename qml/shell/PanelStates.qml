// Which panels are open, and how large: remembered between sessions.
import QtQuick
import Qt.labs.settings

Item {
    id: root
    property bool palette: true
    property bool viewport: true
    property bool inspector: true
    property bool problems: true
    property bool losses: true
    property real paletteWidth: 208
    property real sideWidth: 360
    property real viewportHeight: 320
    property real bottomHeight: 228
    property real lossesWidth: 420
    property int width_: 1440
    property int height_: 900
    readonly property var names: [
        { id: "palette", title: qsTr("Nodes") }, { id: "viewport", title: qsTr("Viewport") },
        { id: "inspector", title: qsTr("Inspector") }, { id: "problems", title: qsTr("Problems") },
        { id: "losses", title: qsTr("Loss") }
    ]

    Settings {
        category: "panels"
        property alias palette: root.palette
        property alias viewport: root.viewport
        property alias inspector: root.inspector
        property alias problems: root.problems
        property alias losses: root.losses
        property alias paletteWidth: root.paletteWidth
        property alias sideWidth: root.sideWidth
        property alias viewportHeight: root.viewportHeight
        property alias bottomHeight: root.bottomHeight
        property alias lossesWidth: root.lossesWidth
        property alias windowWidth: root.width_
        property alias windowHeight: root.height_
    }
}
