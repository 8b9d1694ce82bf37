import type { Dialect } from '../../db/dialect'
import { statement } from '../../db/statement'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
import { requireOperator, type Viewer } from '../../model/privacy'
import { type Instant, parseInstant } from '../../model/time'
import type { Deps } from '../deps'
import { deleteSystemWhole } from '../systems'

/** A system as its operator sees it: how much it has, and when it was last used. */
export interface SystemInfo {
  id: number
  hid: string
  uuid: string
  name: string | null
  created: Instant | null
  disabled: boolean
  members: number
  groups: number
  switches: number
  messages: number
  /** When one of its tokens or browsers came in, something of it changed, or a member spoke. */
  lastActive: Instant | null
}

export async function describeSystems(deps: Deps, viewer: Viewer): Promise<SystemInfo[]> {
  requireOperator(viewer)
  const known = await knownSince(deps.db)
  const rows = await all(deps.db).all({})
  return rows.map((row) => infoOf(row, known, deps.now()))
}

/**
 * Those that were not used since then. Disabled ones are left alone: they could not be used. What
 * was used before this server kept count is taken to have been used until then.
 */
export async function findUnused(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const systems = await describeSystems(deps, viewer)
  return systems.filter((one) => isUnused(one, since))
}

/** Deletes those of them that are still unused, one after the other. Gives which went. */
export async function pruneSystems(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const gone: SystemInfo[] = []
  const known = await knownSince(deps.db)
  for (const { id } of await findUnused(deps, viewer, since)) {
    // It may have been used while others were deleted.
    const row = await one(deps.db).get({ id })
    const now = row && infoOf(row, known, deps.now())
    if (!now || !isUnused(now, since)) continue
    await deleteSystemWhole(deps, { ...viewer, system: id })
    gone.push(now)
  }
  return gone
}

function isUnused({ disabled, lastActive }: SystemInfo, since: Instant): boolean {
  return !disabled && lastActive !== null && lastActive < since
}

type Row = Omit<SystemInfo, 'disabled' | 'lastActive'> & {
  disabled_at: Instant | null
  token_made: Instant | null
  token_used: Instant | null
  session_used: Instant | null
  event_at: Instant | null
  message_at: Instant | null
  past_at: Instant | null
}

function infoOf(row: Row, known: Instant, now: Instant): SystemInfo {
  const { disabled_at, token_made, token_used, session_used, event_at, message_at, past_at } = row
  const { id, hid, uuid, name, created, members, groups, switches, messages } = row
  const signs = [created, token_made, token_used, session_used, event_at, message_at, past_at]
  const isOlder = created === null || created < known
  const last = Math.max(...signs.map((at) => at ?? 0), isOlder ? known : 0)
  return {
    ...{ id, hid, uuid, name, created, members, groups, switches, messages },
    disabled: disabled_at !== null,
    // A message may say of itself that it is of tomorrow.
    lastActive: last === 0 ? null : Math.min(last, now),
  }
}

/** Since when it is kept what is forgotten elsewhere: the day of that migration. */
async function knownSince(db: Db): Promise<Instant> {
  const row = await upgradedAt(db).get({})
  return (row && parseInstant(row.applied)) ?? 0
}

const upgradedAt = statement<never, { applied: string }>(
  "select applied from migrations where name like '%\\_operating' escape '\\'",
)

const describing = ({ count }: Dialect, condition: string) => `
   select systems.id, hid, uuid, name, created, disabled_at,
     (select ${count()} from members where members.system_id = systems.id) as members,
     (select ${count()} from groups where groups.system_id = systems.id) as groups,
     (select ${count()} from switches where switches.system_id = systems.id) as switches,
     (select ${count()} from messages where messages.system_id = systems.id) as messages,
     (select max(tokens.created) from tokens where tokens.system_id = systems.id) as token_made,
     (select max(last_used) from tokens where tokens.system_id = systems.id) as token_used,
     (select max(last_used) from sessions where sessions.system_id = systems.id) as session_used,
     (select at from events where events.system_id = systems.id order by id desc limit 1)
       as event_at,
     (select max(timestamp) from messages where messages.system_id = systems.id) as message_at,
     (select at from past_activity where past_activity.system_id = systems.id) as past_at
   from systems where ${isVisible('systems')} ${condition} order by systems.id`

const all = statement<never, Row>((say) => describing(say, ''))

const one = statement<'id', Row>((say) => describing(say, 'and systems.id = :id'))
