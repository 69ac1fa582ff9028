// What can be switched in all selected nodes, when there are several.
import QtQuick
import Halfwire
import Halfwire.App

Flow {
    id: root
    visible: App.inspector.several
    spacing: Theme.space1
    leftPadding: Theme.space3
    rightPadding: Theme.space3
    topPadding: Theme.space1
    bottomPadding: Theme.space3

    Chip {
        objectName: "several:bypassed"
        text: qsTr("Bypassed")
        checked: App.inspector.bypassed
        onClicked: App.graph.edits.toggleBypass()
    }
    Chip {
        objectName: "several:collapsed"
        text: qsTr("Collapsed")
        checked: App.inspector.collapsed
        onClicked: App.graph.edits.toggleCollapse()
    }
    Chip {
        objectName: "several:frozen"
        visible: App.inspector.hasWeights
        text: qsTr("Frozen")
        checked: App.inspector.frozen
        onClicked: App.inspector.setFrozen(!App.inspector.frozen)
    }
}
