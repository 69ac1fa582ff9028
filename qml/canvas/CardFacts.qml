// Below a card: the dtypes that it ran in, its time, its memory.
import QtQuick
import Halfwire

Text {
    id: root
    required property var card
    /// The gauges of its weights come first.
    readonly property bool gauged: card.surface.gauges && (card.instruments.parameters ?? []).length > 0

    objectName: "facts:" + card.nodeId
    x: Theme.space1
    y: card.height + (gauged ? Theme.space8 : Theme.space1 / 2)
    width: card.width - 2 * x
    height: Theme.space3
    text: card.facts.text
    elide: Text.ElideRight
    color: Theme.textMuted
    font.family: Theme.family
    font.pixelSize: Theme.sizeTiny
    HoverHandler {
        id: over
    }
    Loader {
        active: over.hovered
        sourceComponent: CardTip {
            text: root.card.facts.tip
        }
    }
}
