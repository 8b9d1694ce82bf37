import { type Column, desc, eq, max, type SQL, sql, type Table } from 'drizzle-orm'
import type { Dialect } from '../../db/dialect'
import { type Builder, type Placeholders, query } from '../../db/query'
import {
  events,
  groups,
  lastActivity,
  members,
  messages,
  sessions,
  switches,
  tokens,
} from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleSystems } from '../../db/visible'
import { requireOperator, type Viewer } from '../../model/core/privacy'
import { type Instant, parseInstant } from '../../model/core/time'
import type { Deps } from '../core/deps'
import { deleteSystemAndRows } from './systems'

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

// SQL text, because the table of migrations is no part of the schema that they create.
const upgradedAt = query(
  () => sql<{ applied: string }>`
    select applied from migrations where name like '%\\_operating' escape '\\'`,
)

/** Counts rows by their index alone, including those that wait for deletion. */
const selectInfo = (db: Builder, { count }: Dialect) => {
  const { id, hid, uuid, name, created, disabled_at } = visibleSystems
  type TableOfSystems = Table & { system_id: Column }
  const ofSystem = (table: TableOfSystems, value: SQL) =>
    db.select({ value }).from(table).where(eq(table.system_id, id))
  const countOf = (table: TableOfSystems) => sql<number>`${ofSystem(table, count())}`
  const latest = (time: Column, table: TableOfSystems) =>
    sql<Instant | null>`${ofSystem(table, max(time))}`
  const lastEvent = db
    .select({ at: events.at })
    .from(events)
    .where(eq(events.system_id, id))
    .orderBy(desc(events.id))
    .limit(1)
  return db
    .select({
      ...{ id, hid, uuid, name, created, disabled_at },
      members: countOf(members).as('members'),
      groups: countOf(groups).as('groups'),
      switches: countOf(switches).as('switches'),
      messages: countOf(messages).as('messages'),
      token_made: latest(tokens.created, tokens).as('token_made'),
      token_used: latest(tokens.last_used, tokens).as('token_used'),
      session_used: latest(sessions.last_used, sessions).as('session_used'),
      event_at: sql<Instant | null>`${lastEvent}`.as('event_at'),
      message_at: latest(messages.timestamp, messages).as('message_at'),
      past_at: latest(lastActivity.active_at, lastActivity).as('past_at'),
    })
    .from(visibleSystems)
}

const all = query((db, _, dialect) => selectInfo(db, dialect).orderBy(visibleSystems.id))

const one = query((db, { id }: Placeholders<'id'>, dialect) =>
  selectInfo(db, dialect).where(eq(visibleSystems.id, id)),
)
