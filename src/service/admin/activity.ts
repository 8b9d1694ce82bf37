import { statement } from '../../db/statement'
import type { TextDialect } from '../../db/textDialect'
import type { Db } from '../../db/types'
import { isVisible } from '../../db/visibility'
import { requireOperator, type Viewer } from '../../model/privacy'
import { type Instant, parseInstant } from '../../model/time'
import type { Deps } from '../deps'
import { deleteSystemAndRows } from '../systems'

/** A system as shown to the operator: counts of its rows, and its last activity. */
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
  /** Latest use of a token or session, change of a row, or proxied message. */
  lastActive: Instant | null
}

export async function describeSystems(deps: Deps, viewer: Viewer): Promise<SystemInfo[]> {
  requireOperator(viewer)
  const known = await knownSince(deps.db)
  const rows = await all(deps.db).all({})
  return rows.map((row) => infoOf(row, known, deps.now()))
}

/**
 * Lists the systems without activity since a time, except disabled ones, which cannot be used. Older
 * systems count as active until this server began to record activity.
 */
export async function findUnused(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const systems = await describeSystems(deps, viewer)
  return systems.filter((one) => isUnused(one, since))
}

/** Deletes the unused systems one after the other. Returns the deleted ones. */
export async function pruneSystems(
  deps: Deps,
  viewer: Viewer,
  since: Instant,
): Promise<SystemInfo[]> {
  const deleted: SystemInfo[] = []
  const known = await knownSince(deps.db)
  for (const { id } of await findUnused(deps, viewer, since)) {
    // It may have been used while other systems were deleted.
    const row = await one(deps.db).get({ id })
    const current = row && infoOf(row, known, deps.now())
    if (!current || !isUnused(current, since)) continue
    await deleteSystemAndRows(deps, { ...viewer, system: id })
    deleted.push(current)
  }
  return deleted
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
  const times = [created, token_made, token_used, session_used, event_at, message_at, past_at]
  const isOlder = created === null || created < known
  const last = Math.max(...times.map((at) => at ?? 0), isOlder ? known : 0)
  return {
    ...{ id, hid, uuid, name, created, members, groups, switches, messages },
    disabled: disabled_at !== null,
    // The timestamp of a message is given by its client and may be in the future.
    lastActive: last === 0 ? null : Math.min(last, now),
  }
}

/** Returns the time since which activity is recorded: that of the migration that added it. */
async function knownSince(db: Db): Promise<Instant> {
  const row = await upgradedAt(db).get({})
  return (row && parseInstant(row.applied)) ?? 0
}

const upgradedAt = statement<never, { applied: string }>(
  "select applied from migrations where name like '%\\_operating' escape '\\'",
)

const selectInfo = ({ count }: TextDialect, condition: string) => `
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
     (select active_at from last_activity where last_activity.system_id = systems.id) as past_at
   from systems where ${isVisible('systems')} ${condition} order by systems.id`

const all = statement<never, Row>((dialect) => selectInfo(dialect, ''))

const one = statement<'id', Row>((dialect) => selectInfo(dialect, 'and systems.id = :id'))
