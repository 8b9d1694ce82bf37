import { incrementCounter } from '../../db/changeCounters'
import { createUpdater } from '../../db/rows'
import type { Db } from '../../db/types'
import { isDisabled } from '../../db/visibility'
import { type DomainError, error } from '../../model/errors'
import { requireOperator, systemOf, type Viewer } from '../../model/privacy'
import type { Instant } from '../../model/time'
import type { Deps } from '../deps'

/** What who comes for a disabled system is told. */
export function disabledError(): DomainError {
  return error('forbidden', 'disabled by the operator')
}

export async function requireEnabled(db: Db, systemId: number): Promise<void> {
  if (await isDisabled(db, systemId)) throw disabledError()
}

/** Nobody comes in as the system any more, nobody sees it, and nothing is sent for it. */
export async function disableSystem(deps: Deps, viewer: Viewer): Promise<void> {
  await setDisabled(deps, viewer, deps.now())
}

/** All is as it was; what waited for its webhook is sent. */
export async function enableSystem(deps: Deps, viewer: Viewer): Promise<void> {
  await setDisabled(deps, viewer, null)
}

async function setDisabled(deps: Deps, viewer: Viewer, at: Instant | null): Promise<void> {
  requireOperator(viewer)
  const id = systemOf(viewer)
  await deps.transact({ system: id }, async (tx) => {
    if ((await isDisabled(tx, id)) === (at !== null)) return
    await update(tx, id, { disabled_at: at })
    // Those who send look anew whose webhooks are to be served, and who may come in.
    await incrementCounter(tx, 'hooks')
    await incrementCounter(tx, 'keys')
  })
}

const update = createUpdater('systems')
