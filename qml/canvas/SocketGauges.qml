// Beside an output's dot, on its wire: what flows forward above it, its gradient below. Words under the pointer.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root

    required property var surface
    required property string key
    /// {forward, backward}: InstrumentsModel's.
    required property var gauges

    Repeater {
        model: ["forward", "backward"]
        GaugeItem {
            id: gauge_
            required property string modelData
            required property int index
            readonly property bool known: !!root.gauges[modelData]
            readonly property string text: gauge.text

            objectName: "gauge:" + root.key + ":" + modelData
            visible: known
            x: Theme.space1
            y: index === 0 ? -height - Theme.space1 : Theme.space1
            width: Theme.space6
            height: Theme.space2
            gauge: root.gauges[modelData]
            colours: Theme.byToken
            Accessible.role: Accessible.Indicator
            Accessible.name: gauge.name
            Accessible.description: text
            HoverHandler {
                id: over
                margin: Theme.space1 / 2
            }
            Binding {
                target: root.surface
                property: "note"
                value: gauge_.text
                when: over.hovered
                restoreMode: Binding.RestoreBindingOrValue
            }
            Component.onDestruction: {
                if (over.hovered)
                    root.surface.note = "";
            }
        }
    }
}
