// The numbers beside an axis. A fixed number of labels: the axis moves while the graph trains, and items are dear to make.
import QtQuick
import Halfwire

Repeater {
    id: root
    /// {y, text}
    property var ticks: []
    property real end       // where the labels end
    property real offset    // of what y counts from
    model: 12
    Text {
        required property int index
        readonly property var tick: root.ticks[index] ?? null
        visible: tick !== null
        x: root.end - width
        y: root.offset + (tick?.y ?? 0) - height / 2
        text: tick?.text ?? ""
        color: Theme.textFaint
        font.family: Theme.mono
        font.pixelSize: Theme.sizeSmall
    }
}
