import { diff, isEmptyPatch } from '../../model/core/entity'
import { type Redacted, redact, requireSystem, type Viewer } from '../../model/core/privacy'
import { type ExtSettingsPatch, extSettings } from '../../model/systems/extSettings'
import { recordEvent } from '../../store/events/recordEvent'
import { requireExists } from '../../store/systems/deletion'
import { extSettingsOf, storeExtSettings } from '../../store/systems/extSettingRows'
import type { Deps } from '../core/deps'

/** Returns the settings of the caller's system that PluralKit does not have. */
export async function getExtSettings(
  { db }: Deps,
  viewer: Viewer,
): Promise<Redacted<typeof extSettings>> {
  return redact(extSettings, await extSettingsOf(db, requireSystem(viewer, 'read')), 'owner')
}

export async function patchExtSettings(
  deps: Deps,
  viewer: Viewer,
  patch: ExtSettingsPatch,
): Promise<Redacted<typeof extSettings>> {
  const systemId = requireSystem(viewer)
  return deps.transact({ system: systemId }, async (tx) => {
    await requireExists(tx, systemId)
    const before = await extSettingsOf(tx, systemId)
    const changed = diff<typeof extSettings>(before, patch)
    const after = { ...before, ...changed }
    if (!isEmptyPatch(changed)) {
      await storeExtSettings(tx, systemId, after)
      await recordEvent(tx, deps.now(), {
        system_id: systemId,
        type: 'UPDATE_EXT_SETTINGS',
        subject: null,
        data: changed,
      })
    }
    return redact(extSettings, after, 'owner')
  })
}
