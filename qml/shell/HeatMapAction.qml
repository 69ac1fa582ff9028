// Colours the canvas by what the instruments or the X-ray show, or by dtype again.
import QtQuick
import QtQuick.Templates as T
import Halfwire.App

T.Action {
    text: qsTr("Heat Map")
    shortcut: "Ctrl+H"
    checkable: true
    checked: App.heatMap.on
    onTriggered: {
        App.heatMap.on = !App.heatMap.on;
        checked = Qt.binding(() => App.heatMap.on);
    }
}
