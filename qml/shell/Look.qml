// The user's settings of appearance and runs, kept between sessions.
import QtQuick
import Qt.labs.settings
import Halfwire
import Halfwire.App

Item {
    id: root
    property string theme: "dark"
    property bool systemFont: false
    property bool haltOnBadValue: false
    property bool keepsOptimiser: true
    property bool live: true
    property bool gauges: true
    property bool minimap: true
    readonly property var themes: [
        { id: "dark", title: qsTr("Dark") }, { id: "light", title: qsTr("Light") },
        { id: "system", title: qsTr("As the System") }
    ]

    Settings {
        category: "look"
        property alias theme: root.theme
        property alias systemFont: root.systemFont
        property alias gauges: root.gauges
        property alias minimap: root.minimap
    }
    Settings {
        category: "run"
        property alias haltOnBadValue: root.haltOnBadValue
        property alias keepsOptimiser: root.keepsOptimiser
        property alias live: root.live
    }
    Binding {
        target: App.document.weights
        property: "keepsOptimiser"
        value: root.keepsOptimiser
    }
    Binding {
        target: App.run.evaluation
        property: "live"
        value: root.live
    }
    Binding {
        target: App.run
        property: "haltOnBadValue"
        value: root.haltOnBadValue
    }
    Binding {
        target: Theme
        property: "mode"
        value: root.theme
    }
    Binding {
        target: Theme
        property: "textFamily"
        value: root.systemFont ? App.systemFont : ""
    }
}
