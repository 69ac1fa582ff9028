// Gradients against central differences, of the graph or of the selected nodes.
import QtQuick
import Halfwire

VerdictTable {
    id: root
    again: qsTr("Check Again")
    working: qsTr("Moving values and weights by a little, in f64…")
    purpose: qsTr("Holds the gradient of every wire and parameter against central differences of the loss, in f64, and lists what is wrong, zero or dead.")
    number: qsTr("Largest gradient")
    tools: Chip {
        objectName: "gradients:selected"
        text: qsTr("Selected nodes only")
        checked: root.model.selectedOnly
        enabled: !root.model.running
        onClicked: root.model.selectedOnly = !root.model.selectedOnly
    }
}
