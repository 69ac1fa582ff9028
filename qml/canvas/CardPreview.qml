// What a card shows of its node's output: a picture, lines, a histogram or a number, or why there is none. Presses fall
// through to the surface, but for those on the batch.
import QtQuick
import Halfwire
import Halfwire.Canvas

Item {
    id: root
    required property var card
    readonly property var preview: card.preview
    readonly property string kind: preview.kind
    readonly property string value: kind
    readonly property string text: kind !== "" ? preview.text : preview.hint

    objectName: "preview:" + card.nodeId
    x: Theme.space3
    y: card.previewTop
    width: card.width - 2 * x
    height: Theme.preview
    clip: true
    Accessible.role: Accessible.Graphic
    Accessible.name: qsTr("Preview")
    Accessible.description: text

    Rectangle {
        anchors.fill: parent
        radius: Theme.radiusSmall
        color: Theme.input
    }
    PreviewItem {
        anchors.fill: parent
        preview: root.preview
        lineColours: Theme.series
    }
    Loader {
        anchors.fill: parent
        anchors.margins: Theme.space1
        active: root.kind === "histogram"
        sourceComponent: HistogramItem {
            histogram: root.preview.histogram
            barColour: Theme.accent
            warningColour: Theme.warning
            bandColour: Theme.hover
            subnormalColour: Theme.warningDim
        }
    }
    Text {
        anchors.centerIn: parent
        visible: root.kind === "number"
        text: root.preview.number
        color: Theme.text
        font.family: Theme.mono
        font.pixelSize: Theme.space6
    }
    Text {
        id: hint
        anchors.fill: parent
        anchors.margins: Theme.space2
        visible: root.kind === ""
        text: root.preview.hint
        wrapMode: Text.Wrap
        elide: Text.ElideRight
        horizontalAlignment: Text.AlignHCenter
        verticalAlignment: Text.AlignVCenter
        color: Theme.textFaint
        font.family: Theme.family
        font.pixelSize: Theme.sizeSmall
    }
    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered && (root.kind !== "" || hint.truncated) && !(batch.item?.hovered ?? false)
        sourceComponent: CardTip {
            text: root.kind === "histogram" ? qsTr("%1: magnitudes on a log₂ axis; light: the dtype's normal range").arg(root.preview.text) : root.preview.text
        }
    }
    Loader {
        id: batch
        anchors.bottom: parent.bottom
        anchors.right: parent.right
        anchors.margins: Theme.space1
        active: root.preview.batches !== 0 && root.card.surface.evaluation !== null
        sourceComponent: BatchStep {
            objectName: "batch:" + root.card.nodeId
            evaluation: root.card.surface.evaluation
            batches: root.preview.batches
        }
    }
}
