import { changeCopy } from '../../offline/start'
import { device } from '../../offline/tabState'
import { offlineStrings } from '../../texts/texts'
import { CheckField } from '../../ui/checkField'

/** Turns the copy of this device on and off. */
export function CopySwitch() {
  const record = device.value
  return (
    <section class="card">
      {record ? (
        <CheckField
          id="copy"
          label={offlineStrings.copy}
          hint={offlineStrings.copyMore}
          value={record.hasCopy}
          isSwitch
          onChange={changeCopy}
        />
      ) : (
        <>
          <h2>{offlineStrings.copy}</h2>
          <p class="quiet">{offlineStrings.copyNeedsRemember}</p>
        </>
      )}
    </section>
  )
}
