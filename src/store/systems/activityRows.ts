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
import { type Instant, parseInstant } from '../../model/core/time'

/** A system with counts of its rows, and what shows when it was used. */
export interface ActivityRow {
  id: number
  hid: string
  uuid: string
  name: string | null
  created: Instant | null
  members: number
  groups: number
  switches: number
  messages: number
  disabled_at: Instant | null
  token_made: Instant | null
  token_used: Instant | null
  session_used: Instant | null
  event_at: Instant | null
  message_at: Instant | null
  past_at: Instant | null
}

export async function listActivity(db: Db): Promise<ActivityRow[]> {
  return await all(db).all({})
}

export async function findActivity(db: Db, systemId: number): Promise<ActivityRow | null> {
  return await bySystem(db).get({ id: systemId })
}

/** Returns the time since which activity is recorded: that of the migration that added it. */
export async function activityKnownSince(db: Db): Promise<Instant> {
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

const bySystem = query((db, { id }: Placeholders<'id'>, dialect) =>
  selectInfo(db, dialect).where(eq(visibleSystems.id, id)),
)
