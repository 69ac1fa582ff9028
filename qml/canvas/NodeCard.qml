// A node: header, sockets, a few parameters. Its measures come from the model; presses fall through to the surface.
import QtQuick
import Halfwire

Item {
    id: node

    required property var surface
    required property string nodeId
    required property string title
    required property string category
    required property string summary
    required property real posX
    required property real posY
    required property real cardWidth
    required property real cardHeight
    required property var inputs
    required property var outputs
    required property var inputStates
    required property var outputStates
    required property var cardParams
    required property var paramValues
    required property bool selected
    required property bool active
    required property string status
    required property string statusText
    required property bool random
    required property bool randomFixed
    required property string randomText
    required property string passes
    required property string time
    required property bool bypassed
    required property bool frozen
    required property string tie
    required property string device
    required property bool collapsed
    required property bool isGroup
    required property bool dot
    /// Where the preview begins; −1: there is none.
    required property real previewTop
    required property var preview
    /// {text, tip} of what ran
    required property var facts
    required property var instruments
    /// HeatMapModel.of
    required property var heat
    /// Whether it stands for a node now; else it waits to be used again.
    required property bool shown
    required property int stack

    readonly property bool coarse: surface.camera.coarse
    readonly property bool hovered: shown && surface.hoverNode === nodeId
    readonly property bool faulty: status === "error"
    /// 0 … 1 under the heat map; −1: not known, or no heat map.
    readonly property real warmth: heat.amount ?? -1
    readonly property color tint: Theme.category(category)
    readonly property color outline: selected ? Theme.accent : faulty ? Theme.error : hovered ? Theme.lineStrong : Theme.cardLine

    objectName: "node:" + nodeId
    Accessible.role: Accessible.Grouping
    Accessible.name: title + (statusText ? ", " + statusText : "")
    Accessible.description: summary
    Accessible.selected: selected
    x: posX
    y: posY
    z: selected ? stack + 1000000 : stack  // over all that are not
    visible: shown
    enabled: shown
    width: cardWidth
    height: cardHeight
    opacity: bypassed ? 0.5 : 1

    /// Whether a point of the card lies on the words of its title.
    function onTitle(at: point): bool {
        return header.hasWords(at);
    }

    // A soft edge below, cheaper than a blur.
    Rectangle {
        visible: !node.dot
        anchors.fill: body
        anchors.topMargin: Theme.space1
        anchors.bottomMargin: -Theme.space1
        radius: body.radius
        color: Theme.cardShade
    }
    Rectangle {
        id: body
        anchors.fill: parent
        radius: node.dot ? width / 2 : Theme.radius
        color: {
            node.surface.colours;
            if (node.dot)
                return Theme.dtype((node.outputStates[0] ?? {}).token ?? "dtypeAny");
            return node.warmth < 0 ? Theme.card : Qt.tint(Theme.card, Qt.alpha(node.surface.heatColour(node.warmth), 0.2 + 0.4 * node.warmth));
        }
        border.color: node.outline
        border.width: node.selected ? Theme.focusRing : 1
        antialiasing: true
    }
    // The active node has a second ring.
    Rectangle {
        anchors.fill: parent
        anchors.margins: -Theme.space1
        visible: node.active
        radius: body.radius + Theme.space1
        color: "transparent"
        border.color: Theme.accentDim
        border.width: Theme.focusRing
    }
    NodeHeader {
        id: header
        visible: !node.dot
        card: node
        inset: body.border.width
    }
    Text {
        visible: node.coarse && !node.dot
        y: node.collapsed ? 0 : header.height
        x: Theme.space3
        width: node.width - Theme.space6
        text: node.title
        readonly property int lines: node.collapsed ? 1 : Math.max(1, Math.floor((node.height - header.height) / (1.2 * font.pixelSize)))
        wrapMode: lines > 1 ? Text.Wrap : Text.NoWrap
        maximumLineCount: lines
        elide: lines > 1 ? Text.ElideRight : Text.ElideMiddle
        color: Theme.text
        font.family: Theme.family
        font.pixelSize: node.collapsed ? Theme.space6 : Theme.space8
    }
    BadMark {
        visible: node.coarse && (node.heat.bad ?? false)
        anchors.horizontalCenter: parent.right
        anchors.verticalCenter: parent.top
        width: Theme.space8
    }
    Repeater {
        model: node.inputs
        SocketRow {
            card: node
            socketState: node.inputStates[index] ?? ({})
            isOutput: false
        }
    }
    Repeater {
        model: node.outputs
        SocketRow {
            card: node
            socketState: node.outputStates[index] ?? ({})
            isOutput: true
        }
    }
    Loader {
        active: node.previewTop >= 0 && node.shown
        visible: !node.coarse
        sourceComponent: CardPreview {
            card: node
        }
    }
    // What ran hangs below the card, where there is room to read it.
    Loader {
        active: node.shown && node.surface.readable && !node.dot && (node.facts.text ?? "") !== ""
        sourceComponent: CardFacts {
            card: node
        }
    }
    // The gauges of its weights hang below the card.
    Repeater {
        model: node.surface.gauges && !node.coarse ? (node.instruments.parameters ?? []).length : 0
        SocketGauges {
            required property int index
            surface: node.surface
            x: index * Theme.control + Theme.space1
            y: node.height + Theme.space4
            key: node.nodeId + ":param:" + gauges.name
            gauges: (node.instruments.parameters ?? [])[index] ?? ({})
        }
    }
    Column {
        visible: !node.collapsed && !node.coarse
        anchors.left: parent.left
        anchors.right: parent.right
        anchors.bottom: parent.bottom
        anchors.leftMargin: Theme.space3
        anchors.rightMargin: Theme.space3
        anchors.bottomMargin: Theme.space2
        Repeater {
            model: node.collapsed ? [] : node.cardParams
            CardParam {
                card: node
                value: node.paramValues[modelData.id]
            }
        }
    }
}
