import { audienceOf, isOwner, type Redacted, redact, type Viewer } from '../../model/core/privacy'
import { type Fronter, fronter } from '../../model/front/fronter'
import type { Front } from '../../model/front/switch'
import { member } from '../../model/members/member'
import type { System } from '../../model/systems/system'
import { extSettingsOf } from '../../store/systems/extSettingRows'
import type { Deps } from '../core/deps'
import { noConnection, type WaitingClient } from '../core/longReads'
import { detailsOf, readDetails } from './frontDetails'
import { getFronters } from './switches'

/** The front with what version 2 does not show. */
export interface DetailedFront {
  readonly front: Front
  readonly fronters: readonly {
    readonly member: Redacted<typeof member>
    readonly details: Redacted<typeof fronter>
  }[]
}

/** Returns the latest switch with stints and statuses; null if there is none. */
export async function getFront(
  deps: Deps,
  viewer: Viewer,
  system: System,
  client: WaitingClient = noConnection,
): Promise<DetailedFront | null> {
  const frontRows = await getFrontRows(deps, viewer, system, client)
  if (!frontRows) return null
  const { front, details } = frontRows
  const audience = audienceOf(viewer, system.id)
  const settings = await extSettingsOf(deps.db, system.id)
  const fronters = front.members.map((row) => ({
    member: redact(member, row, audience),
    details: redact(
      fronter,
      { ...detailsOf(details, row, front.timestamp), ...settings },
      audience,
    ),
  }))
  return { front, fronters }
}

/** Like `getFront`, with the rows of members. */
export async function getFrontRows(
  deps: Deps,
  viewer: Viewer,
  system: System,
  client: WaitingClient = noConnection,
): Promise<{ front: Front; details: ReadonlyMap<number, Fronter> } | null> {
  const front = await getFronters(deps, viewer, system)
  if (!front) return null
  const details = await readDetails(deps, front, client, isOwner(viewer, system.id))
  return { front, details }
}
