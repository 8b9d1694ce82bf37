import { incrementCounter } from '../../db/changeCounters'
import { updateRow } from '../../db/renderedJson'
import { isDisabled } from '../../db/visible'
import { requireOperator, systemOf, type Viewer } from '../../model/core/privacy'
import type { Instant } from '../../model/core/time'
import { recordFriendEvent } from '../../store/friends/endFriendship'
import { listFriendships } from '../../store/friends/friendRows'
import type { Deps } from '../core/deps'

/** Disables a system: its credentials are refused, it is hidden, and its webhooks stop. */
export async function disableSystem(deps: Deps, viewer: Viewer): Promise<void> {
  await setDisabled(deps, viewer, deps.now())
}

/** Enables a system again. Events recorded meanwhile are delivered to its webhook. */
export async function enableSystem(deps: Deps, viewer: Viewer): Promise<void> {
  await setDisabled(deps, viewer, null)
}

async function setDisabled(deps: Deps, viewer: Viewer, at: Instant | null): Promise<void> {
  requireOperator(viewer)
  const id = systemOf(viewer)
  await deps.transact({ system: id }, async (tx) => {
    if ((await isDisabled(tx, id)) === (at !== null)) return
    await updateRow.systems(tx, id, { disabled_at: at })
    // All processes reload the active webhooks and drop cached credentials.
    await incrementCounter(tx, 'webhooks')
    await incrementCounter(tx, 'credentials')
    // Streams of its friends read again what they may show.
    for (const { uuid } of await listFriendships(tx, id))
      await recordFriendEvent(deps, tx, 'UPDATE_FRIEND', id, uuid, { keys: ['share'] })
  })
}
