import {
  audienceOf,
  type Redacted,
  redact,
  requireSystem,
  type Viewer,
} from '../../model/core/privacy'
import { type Settings, type SettingsPatch, settings } from '../../model/systems/settings'
import type { System, SystemPatch } from '../../model/systems/system'
import { getSettings, updateSettings } from '../../store/systems/settingRows'
import { updateSystem } from '../../store/systems/systemRows'
import type { Deps } from '../core/deps'
import { getOwnSystem, getSystem } from './systems'

/** Returns the settings of any system, redacted for the viewer. */
export async function getVisibleSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof settings>> {
  const { id } = await getSystem(deps, viewer, ref)
  return redact(settings, await getSettings(deps, deps.db, id), audienceOf(viewer, id))
}

export async function patchSettings(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: SettingsPatch,
): Promise<Settings> {
  const { id } = await getOwnSystem(deps, viewer, ref)
  return deps.transact({ system: id }, (tx) => updateSettings(deps, tx, id, patch))
}

/** Changes the caller's system and its settings in one transaction. */
export async function patchSystemAndSettings(
  deps: Deps,
  viewer: Viewer,
  patch: { system: SystemPatch; settings: SettingsPatch },
): Promise<System> {
  const id = requireSystem(viewer)
  return deps.transact({ system: id }, async (tx) => {
    await updateSettings(deps, tx, id, patch.settings)
    return (await updateSystem(deps, tx, id, patch.system)).row
  })
}
