// What a classifier gets wrong over a whole split: which classes it takes for which, a row for each, the worst samples.
import QtQuick
import QtQuick.Templates as T
import Halfwire
import Halfwire.Models

Item {
    id: root
    required property SplitResultsModel model

    EmptyHint {
        objectName: "evaluation:hint"
        visible: root.model.empty
        iconName: Icons.chart
        text: root.model.due !== "" ? root.model.due
            : qsTr("Wire a Confusion Matrix and Worst Samples to the scores and labels of a classifier: what it takes for what, and the samples furthest off, stand here each time training measures.")
    }
    Flickable {
        id: area
        visible: !root.model.empty
        anchors.fill: parent
        anchors.margins: Theme.space2
        contentHeight: flow.height
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: ThinScrollBar {}

        Flow {
            id: flow
            readonly property real column: width >= 3 * 220 ? (width - 2 * spacing) / 3 : width >= 2 * 220 ? (width - spacing) / 2 : width
            width: area.width - Theme.space2
            spacing: Theme.space3

            Text {
                width: parent.width
                text: root.model.meaning
                color: Theme.textMuted
                wrapMode: Text.Wrap
                font.family: Theme.family
                font.pixelSize: Theme.sizeSmall
            }
            ConfusionMatrix {
                visible: root.model.size > 0
                width: Math.min(flow.column, 300)
                model: root.model
            }
            ClassTable {
                visible: root.model.size > 0
                width: flow.column
                model: root.model
            }
            WorstSamples {
                visible: root.model.worst.length > 0
                width: flow.column
                model: root.model
            }
        }
    }
}
