// Colours the canvas by what the instruments show, or by dtype again.
import QtQuick
import QtQuick.Templates as T
import Halfwire.App

T.Action {
    text: qsTr("Heat Map")
    shortcut: "Ctrl+H"
    checkable: true
    checked: App.instruments.heatMap
    onTriggered: {
        App.instruments.heatMap = !App.instruments.heatMap;
        checked = Qt.binding(() => App.instruments.heatMap);
    }
}
