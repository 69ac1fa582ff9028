// One parameter on a card: a slot with its name and the editor its kind asks for.
import QtQuick
import Halfwire

Item {
    id: entry

    required property var modelData
    required property var card
    property var value

    function set(next, merge) {
        return card.surface.graph.edits.setParam(card.nodeId, modelData.id, next, merge ?? false);
    }
    function scrub(from, steps, snaps) {
        card.surface.graph.edits.scrubParam(card.nodeId, modelData.id, from, steps, snaps);
    }
    function nudge(direction) {
        card.surface.graph.edits.nudgeParam(card.nodeId, modelData.id, direction);
    }
    function endGesture() {
        card.surface.graph.edits.endGesture();
    }

    width: parent ? parent.width : 0
    height: Theme.space8

    Loader {
        anchors.fill: parent
        anchors.topMargin: Theme.space1
        sourceComponent: {
            switch (entry.modelData.kind) {
            case "boolean":
                return toggle;
            case "choice":
            case "dtype":
                return choice;
            default:
                return number;
            }
        }
    }
    Component {
        id: number
        CardNumber {
            param: entry
        }
    }
    Component {
        id: choice
        CardChoice {
            param: entry
        }
    }
    Component {
        id: toggle
        CardSwitch {
            param: entry
        }
    }
}
