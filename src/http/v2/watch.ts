import { isWatcher, type Viewer } from '../../model/core/privacy'
import { withWatcherVisibility } from '../../model/systems/system'
import { serializedJson } from '../../serializers/body'
import type { Deps } from '../../service/core/deps'
import { getFronters } from '../../service/front/switches'
import { readFronters, readSystem } from '../../service/reads/objects'
import { getSystem } from '../../service/systems/systems'
import { showFront, showSystem } from './views'

/** Reads that differ for a `watch` token. No JSON is cached for it, so rows are serialized. */

export function readSystemByAccess(deps: Deps, viewer: Viewer, ref: string) {
  return viewer.access === 'watch'
    ? readWatchedSystem(deps, viewer, ref)
    : readSystem(deps, viewer, ref)
}

/** Returns null if the system has no switches. */
export function readFrontersByAccess(deps: Deps, viewer: Viewer, ref: string) {
  return viewer.access === 'watch'
    ? readWatchedFronters(deps, viewer, ref)
    : readFronters(deps, viewer, ref)
}

async function readWatchedSystem(deps: Deps, viewer: Viewer, ref: string) {
  const row = await getSystem(deps, viewer, ref)
  const visible = isWatcher(viewer, row.id) ? withWatcherVisibility(row) : row
  return serializedJson(JSON.stringify(showSystem(visible, 'public')))
}

async function readWatchedFronters(deps: Deps, viewer: Viewer, ref: string) {
  const front = await getFronters(deps, viewer, await getSystem(deps, viewer, ref))
  return front && serializedJson(JSON.stringify(showFront(front, 'public')))
}
