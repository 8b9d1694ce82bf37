import { eq, getTableColumns, gt, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Dialect } from '../db/dialect'
import type { Finding } from '../db/finding'
import { ownedTable } from '../db/ownedTables'
import { type Placeholders, query } from '../db/query'
import { readPagesById } from '../db/readPages'
import { createUpserter, type OwnedTable } from '../db/rows'
import {
  extUsage,
  fields,
  fieldValues,
  friendInvites,
  friendSides,
  frontNotes,
  groupExts,
  groups,
  memberExts,
  members,
  notes,
  polls,
  pollVotes,
  posts,
  rooms,
} from '../db/tables'
import type { Db } from '../db/types'
import { isImportCommitted, visibleSystems } from '../db/visible'
import type { Entity } from '../model/core/entity'
import { countedKeys } from '../model/core/textSize'
import { friend, invite } from '../model/friends/friend'
import { groupExt } from '../model/groups/groupExt'
import { vote } from '../model/journal/poll'
import { memberExt } from '../model/members/memberExt'
import { type OwnedList, ownedKind, ownedLists } from '../model/ownedKinds'

const counters = ['text_bytes', 'front_notes', 'notes', 'posts'] as const

type Usage = Record<(typeof counters)[number], number>

/** Finds systems whose use of their limits differs from what their rows add up to. */
export async function findWrongUsage(db: Db): Promise<Finding[]> {
  const findings: Finding[] = []
  for await (const page of readPagesById(usagePage(db))) {
    for (const { id, hid, used, counted } of page.map(toUsage)) {
      const wrong = counters.filter((name) => used[name] !== counted[name])
      if (wrong.length === 0) continue
      const texts = wrong.map((name) => `${used[name]} ${words[name]} instead of ${counted[name]}`)
      findings.push({
        check: 'usage',
        problem: `system ${hid} counts ${texts.join(', ')}`,
        fix: (tx) => store(tx, { system_id: id, ...counted }),
      })
    }
  }
  return findings
}

const words = {
  text_bytes: 'bytes of text',
  front_notes: 'front notes',
  notes: 'notes',
  posts: 'posts',
} as const

const store = createUpserter(extUsage, ['system_id'], counters)

/** Systems per statement, which may read the whole text of each. */
const SYSTEMS = 50

type UsageRow = { id: number; hid: string } & Usage & { [N in keyof Usage as `all_${N}`]: number }

function toUsage({ id, hid, ...row }: UsageRow) {
  const { all_text_bytes, all_front_notes, all_notes, all_posts, ...used } = row
  const counted: Usage = {
    text_bytes: all_text_bytes,
    front_notes: all_front_notes,
    notes: all_notes,
    posts: all_posts,
  }
  return { id, hid, used, counted }
}

/** Rows of a system after `from`, and the size of their text. */
interface Source {
  readonly rows: SQL
  readonly sizes: readonly SQLWrapper[]
}

const { id, hid } = visibleSystems

/** Columns whose text counts towards the quota. */
function countedColumns(entity: Entity, table: SQLiteTable): SQLWrapper[] {
  const columns: Record<string, SQLWrapper> = getTableColumns(table)
  return countedKeys(entity).flatMap((key) => columns[key] ?? [])
}

/** Rows of a table without those of unfinished imports, which are not counted yet. */
function rowsOf(table: OwnedTable): SQL {
  return sql`${table} where ${eq(table.system_id, id)} and ${isImportCommitted(table.import_id)}`
}

/** A deleted room is not counted, but its posts are until they are deleted. */
const conditions: Partial<Record<OwnedList, SQL>> = { rooms: sql`and ${rooms.is_deleted} = 0` }

/** All text that counts. */
const sources: readonly Source[] = [
  ...ownedLists.map((list) => {
    const { table } = ownedTable(list)
    return {
      rows: sql`${rowsOf(table)} ${conditions[list] ?? sql``}`,
      sizes: countedColumns(ownedKind(list).entity, table),
    }
  }),
  {
    rows: sql`${friendSides} where ${eq(friendSides.system_id, id)}`,
    sizes: countedColumns(friend, friendSides),
  },
  {
    rows: sql`${friendInvites} where ${eq(friendInvites.system_id, id)}`,
    sizes: countedColumns(invite, friendInvites),
  },
  {
    rows: sql`${polls} join ${pollVotes} on ${eq(pollVotes.poll_id, polls.id)}
      where ${eq(polls.system_id, id)} and ${isImportCommitted(polls.import_id)}`,
    sizes: countedColumns(vote, pollVotes),
  },
  {
    rows: sql`${members} join ${memberExts} on ${eq(memberExts.member_id, members.id)}
      where ${eq(members.system_id, id)}`,
    sizes: countedColumns(memberExt, memberExts),
  },
  {
    rows: sql`${members} join ${fieldValues} on ${eq(fieldValues.member_id, members.id)}
      join ${fields} on ${eq(fields.id, fieldValues.field_id)}
      where ${eq(members.system_id, id)} and ${isImportCommitted(fields.import_id)}`,
    sizes: [fieldValues.value],
  },
  {
    rows: sql`${groups} join ${groupExts} on ${eq(groupExts.group_id, groups.id)}
      where ${eq(groups.system_id, id)}`,
    sizes: countedColumns(groupExt, groupExts),
  },
]

function textOf({ rows, sizes }: Source, { size }: Dialect): SQL {
  const ofRow = sizes.map((column) => sql`coalesce(${size(column)}, 0)`)
  return sql`(select coalesce(sum(${sql.join(ofRow, sql` + `)}), 0) from ${rows})`
}

// SQL text, because many tables are summed in one statement, so that all sums are of one moment.
const usagePage = query((_, { after }: Placeholders<'after'>, dialect) => {
  const used = counters.map(
    (name) => sql`coalesce(${extUsage[name]}, 0) as ${sql.identifier(name)}`,
  )
  const count = (table: OwnedTable) => sql`(select ${dialect.count()} from ${rowsOf(table)})`
  const text = sql.join(
    sources.map((source) => textOf(source, dialect)),
    sql` + `,
  )
  return sql<UsageRow>`
    select ${id}, ${hid}, ${sql.join(used, sql`, `)}, ${text} as all_text_bytes,
      ${count(frontNotes)} as all_front_notes, ${count(notes)} as all_notes, ${count(posts)} as all_posts
    from ${visibleSystems} left join ${extUsage} on ${eq(extUsage.system_id, id)}
    where ${gt(id, after)} order by ${id} limit ${sql.raw(String(SYSTEMS))}`
})
