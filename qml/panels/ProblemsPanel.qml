// What is wrong: the graph's problems, where precision is lost, what made the first Inf or NaN, gradients, devices.
import QtQuick
import Halfwire
import Halfwire.App

Panel {
    id: root
    objectName: "problems"
    title: qsTr("Problems")
    iconName: Icons.warning
    tabs: [App.problems.count === 0 ? qsTr("Problems") : qsTr("Problems (%1)").arg(App.problems.count),
           qsTr("X-ray"), qsTr("First Bad Value"), qsTr("Gradients"), qsTr("Parity")]

    function showXray() {
        tab = 1;
        App.xray.start();
    }

    function checkGradients() {
        tab = 3;
        App.gradientCheck.start();
    }
    function compareDevices() {
        tab = 4;
        App.parity.start();
    }

    Connections {
        target: App.problems
        function onCurrentChanged() {
            if (App.problems.current >= 0)
                root.tab = 0;
        }
        function onBadValueWanted() {
            root.tab = 2;
            App.badValue.show();
        }
    }
    Connections {
        target: App.badValue
        function onFound() {
            root.tab = 2;
            App.badValue.reveal();
        }
    }
    ProblemList {
        anchors.fill: parent
        visible: root.tab === 0
        focus: visible
    }
    XrayTable {
        anchors.fill: parent
        visible: root.tab === 1
        focus: visible
    }
    BadValueView {
        anchors.fill: parent
        visible: root.tab === 2
        focus: visible
    }
    CheckTable {
        anchors.fill: parent
        visible: root.tab === 3
        focus: visible
        model: App.gradientCheck
        key: "gradients"
        iconName: Icons.gradient
        action: qsTr("Check Gradients")
        again: qsTr("Check Again")
        working: qsTr("Moving values and weights by a little, in f64…")
        purpose: qsTr("Holds the gradient of every wire and parameter against central differences of the loss, in f64, and lists what is wrong, zero or dead.")
        number: qsTr("Largest")
    }
    CheckTable {
        anchors.fill: parent
        visible: root.tab === 4
        focus: visible
        model: App.parity
        key: "parity"
        iconName: Icons.parity
        action: qsTr("Compare Devices")
        again: qsTr("Compare Again")
        working: qsTr("Training a few steps on both devices…")
        purpose: qsTr("Trains a few steps on the CPU and beside it on the exact reference, op by op, and names the first node where they differ by more than rounding.")
        number: qsTr("Of tolerance")
    }
}
