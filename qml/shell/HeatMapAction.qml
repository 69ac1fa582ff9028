// Colours the canvas by what the instruments or the X-ray show, or by dtype again.
import QtQuick
import Halfwire
import Halfwire.App

KeyAction {
    name: "view.heatMap"
    checkable: true
    checked: App.heatMap.on
    onTriggered: {
        App.heatMap.on = !App.heatMap.on;
        checked = Qt.binding(() => App.heatMap.on);
    }
}
