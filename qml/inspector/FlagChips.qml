// What can be switched in all selected nodes, when there are several.
import QtQuick
import Halfwire
import Halfwire.Canvas
import Halfwire.Models

Flow {
    id: root
    required property InspectorModel inspector
    required property GraphEdits edits
    visible: root.inspector.several
    spacing: Theme.space1
    leftPadding: Theme.space3
    rightPadding: Theme.space3
    topPadding: Theme.space1
    bottomPadding: Theme.space3

    Chip {
        objectName: "several:bypassed"
        text: qsTr("Bypassed")
        checked: root.inspector.bypassed
        onClicked: root.edits.toggleBypass()
    }
    Chip {
        objectName: "several:collapsed"
        text: qsTr("Collapsed")
        checked: root.inspector.collapsed
        onClicked: root.edits.toggleCollapse()
    }
    Chip {
        objectName: "several:frozen"
        visible: root.inspector.hasWeights
        text: qsTr("Frozen")
        checked: root.inspector.frozen
        onClicked: root.inspector.setFrozen(!root.inspector.frozen)
    }
}
