import { type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { type BucketLink, bucketLinks } from '../../db/bucketLinks'
import { type Placeholders, query } from '../../db/query'
import {
  buckets,
  extSettingsOfSystems,
  fields,
  fieldValues,
  frontNotes,
  groupExts,
  memberExts,
  notes,
  origins,
  polls,
  pollVotes,
  posts,
  reminders,
  rooms,
} from '../../db/tables'
import type { Db } from '../../db/types'
import {
  deletedMemberName,
  isImportCommitted,
  visibleBuckets,
  visibleFields,
  visibleFrontNotes,
  visibleGroups,
  visibleMembers,
  visibleMemberUuid,
  visibleNotes,
  visiblePolls,
  visiblePosts,
  visibleReminders,
  visibleRooms,
} from '../../db/visible'
import { EXT_VERSION } from '../../formats/pluralkit/ext'
import type { ExtSnapshot } from '../../formats/pluralkit/write'
import { type Entity, type JsonObject, serializeFields } from '../../model/entity'
import { error } from '../../model/errors'
import { bucket } from '../../model/ext/bucket'
import { customFieldInFiles } from '../../model/ext/customField'
import { extSettings } from '../../model/ext/extSettings'
import { frontNote } from '../../model/ext/frontNote'
import { groupExt } from '../../model/ext/groupExt'
import { defaultMemberExt, memberExt } from '../../model/ext/memberExt'
import { note } from '../../model/ext/note'
import { poll, vote } from '../../model/ext/poll'
import { post } from '../../model/ext/post'
import { exportedReminder } from '../../model/ext/reminder'
import { room } from '../../model/ext/room'
import { exportLists, extParts } from '../../model/transfer'

/** Selection of a partial export: members and groups by UUID, and lists by name. */
export interface ExtChoice {
  members: ReadonlySet<string>
  groups: ReadonlySet<string>
  with: ReadonlySet<string>
}

/** Part of an export: the first, a further one with switches, or a further one with long lists. */
export type ExtRange = 'first' | 'switches' | { lists: number }

/** Size up to which a list is in the first part. */
const SHORT_LIST_BYTES = 4 * 1024 * 1024

/** Size of a part of a longer list. It leaves space for the members and groups of each part. */
const LIST_PART_BYTES = 12 * 1024 * 1024

/**
 * Returns the key `multitude.ext` of a part of an export, null if the system uses nothing of it; and
 * whether a part with long lists follows.
 */
export async function exportExt(
  db: Db,
  systemId: number,
  choice: ExtChoice | null,
  range: ExtRange,
  step: () => Promise<unknown>,
): Promise<{ ext: ExtSnapshot | null; hasMore: boolean }> {
  const lists = new LongLists(db, systemId, choice, step)
  const { short, long } = await lists.split()
  const part = typeof range === 'string' ? null : await lists.partOf(long, range.lists)
  const own: ReadonlyMap<string, string[]> =
    range === 'first' ? short : new Map(part ? [[part.name, part.rows]] : [])
  const every = await listsOfEveryPart(db, systemId, choice)
  const { front_status_privacy = 'private' } =
    (await settingsOf(db).get({ system: systemId })) ?? {}
  const all = new Map(listNames.map((name) => [name, every[name] ?? own.get(name) ?? []]))
  const isEmpty =
    front_status_privacy === 'private' && [...all.values()].every((rows) => rows.length === 0)
  const settings = serializeFields(extSettings, { front_status_privacy })
  return {
    ext: isEmpty ? null : { head: { version: EXT_VERSION, settings }, lists: all },
    hasMore: part ? part.hasMore : long.length > 0,
  }
}

/** Lists in the order of the file. Votes are in their polls. */
const listNames = [
  'members',
  'groups',
  ...extParts.filter((part) => part !== 'votes'),
  'origins',
] as const
type ListName = (typeof listNames)[number]

/** Lists with few rows, which the rows of the others refer to. */
const shortLists = ['groups', 'fields', 'rooms'] as const

/** Lists that may be long. */
type LongList = Exclude<ListName, (typeof shortLists)[number]>

const longLists = listNames.filter(
  (name): name is LongList => !shortLists.some((short) => short === name),
)

async function listsOfEveryPart(
  db: Db,
  systemId: number,
  choice: ExtChoice | null,
): Promise<Partial<Record<string, string[]>>> {
  const system = { system: systemId }
  const groups = (await groupRows(db).all(system)).filter(
    ({ group, parent, emoji, position }) =>
      (!choice || choice.groups.has(String(group))) &&
      (parent !== null || emoji !== null || position !== 0),
  )
  const toJson = (entity: Entity, rows: JsonObject[]) =>
    rows.map((row) => JSON.stringify(serialize(entity, row)))
  const hasPosts = !choice || choice.with.has('posts')
  return {
    groups: groups.map((row) =>
      JSON.stringify({ group: row.group, ...serializeFields(groupExt, row) }),
    ),
    fields: toJson(customFieldInFiles, await fieldRows(db).all(system)),
    rooms: hasPosts ? toJson(room, await roomRows(db).all(system)) : [],
  }
}

/** Reads the lists in pages, so that other requests are answered in between. */
class LongLists {
  constructor(
    readonly db: Db,
    readonly systemId: number,
    readonly choice: ExtChoice | null,
    readonly step: () => Promise<unknown>,
  ) {}

  /** Reads the short lists, and returns the names of the long ones. */
  async split(): Promise<{ short: Map<LongList, string[]>; long: LongList[] }> {
    const short = new Map<LongList, string[]>()
    const long: LongList[] = []
    for (const name of longLists) {
      const rows: string[] = []
      let size = 0
      for await (const row of this.#rows(name)) {
        rows.push(row)
        size += Buffer.byteLength(row)
        if (size > SHORT_LIST_BYTES) break
      }
      if (size > SHORT_LIST_BYTES) long.push(name)
      else short.set(name, rows)
    }
    return { short, long }
  }

  /** Reads the part with this number, from 0, of all long lists. Each part is of one list. */
  async partOf(
    long: readonly LongList[],
    wanted: number,
  ): Promise<{ name: LongList; rows: string[]; hasMore: boolean }> {
    let at = 0
    for (const name of long) {
      let rows: string[] = []
      let size = 0
      for await (const row of this.#rows(name)) {
        const bytes = Buffer.byteLength(row) + 1
        if (size + bytes > LIST_PART_BYTES && size > 0) {
          if (at === wanted) return { name, rows, hasMore: true }
          at += 1
          rows = []
          size = 0
        }
        size += bytes
        if (at === wanted) rows.push(row)
      }
      if (at === wanted) return { name, rows, hasMore: name !== long.at(-1) }
      at += 1
    }
    throw error('notFound', 'there is no such part')
  }

  async *#rows(name: LongList): AsyncGenerator<string> {
    const { choice } = this
    const isOptional = exportLists.some((one) => one === name)
    if (choice && (name === 'origins' || (isOptional && !choice.with.has(name)))) return
    for await (const page of this.#pages(name)) {
      await this.step()
      for (const row of page) if (belongsTo(choice, name, row)) yield JSON.stringify(row)
    }
  }

  async *#pages(name: LongList): AsyncGenerator<JsonObject[]> {
    if (name === 'members' || name === 'values') yield* this.#ofMembers(name)
    else if (name === 'origins') yield* this.#origins()
    else if (name === 'buckets') yield* this.#buckets()
    else {
      const { entity, pages } = rowLists[name]
      let from = { before: Number.MAX_SAFE_INTEGER, beforeId: 0 }
      for (;;) {
        const page = await pages(this.db).all({ system: this.systemId, ...from, limit: PAGE })
        const last = page.at(-1)
        if (!last) return
        from = { before: Number(last.page_time), beforeId: Number(last.row_id) }
        const rows = page.map((row) => serialize(entity, row))
        yield name === 'polls' ? await this.#withVotes(page, rows) : rows
      }
    }
  }

  async *#ofMembers(name: 'members' | 'values'): AsyncGenerator<JsonObject[]> {
    const { db, systemId: system } = this
    const ids = (await memberIds(db).all({ system })).map(({ id }) => id)
    for (let at = 0; at < ids.length; at += PAGE) {
      const members = JSON.stringify(ids.slice(at, at + PAGE))
      if (name === 'values')
        yield (await valueRows(db).all({ members })).map(({ value, ...row }) => ({
          ...row,
          value: JSON.parse(String(value)),
        }))
      else
        yield (await memberRows(db).all({ members })).flatMap(({ member, ...row }) =>
          Bun.deepEquals(row, defaultMemberExt)
            ? []
            : { member, ...serializeFields(memberExt, row) },
        )
    }
  }

  async *#origins(): AsyncGenerator<JsonObject[]> {
    let last: JsonObject | undefined = { app: '', collection: '', id: '' }
    while (last) {
      const { app, collection, id } = last
      const from = { app: String(app), collection: String(collection), id: String(id) }
      const page = await originPages(this.db).all({ system: this.systemId, ...from, limit: PAGE })
      yield page
      last = page.at(-1)
    }
  }

  /** Reads privacy buckets with what they contain; of a partial export, what it includes. */
  async *#buckets(): AsyncGenerator<JsonObject[]> {
    const { db, choice, systemId: system } = this
    for (const row of await bucketRows(db).all({ system })) {
      const id = Number(row.row_id)
      const uuidsIn = async (content: keyof typeof contentsOf, chosen?: ReadonlySet<string>) =>
        (await contentsOf[content](db).all({ bucket: id })).flatMap(({ uuid }) =>
          !chosen || chosen.has(uuid) ? uuid : [],
        )
      yield [
        {
          ...serialize(bucket, row),
          members: await uuidsIn('members', choice?.members),
          groups: await uuidsIn('groups', choice?.groups),
          fields: await uuidsIn('fields'),
        },
      ]
    }
  }

  /** Adds the votes of a page of polls; of a partial export, those of its members. */
  async #withVotes(page: readonly JsonObject[], rows: readonly JsonObject[]) {
    const ids = JSON.stringify(page.map(({ row_id }) => row_id))
    const votes = Map.groupBy(await voteRows(this.db).all({ polls: ids }), ({ poll_id }) => poll_id)
    return rows.map((row, at) => ({
      ...row,
      votes: (votes.get(Number(page[at]?.row_id)) ?? [])
        .filter(({ member }) => !this.choice || this.choice.members.has(String(member)))
        .map((one) => serializeFields(vote, one)),
    }))
  }
}

const PAGE = 200

/** Returns whether a partial export includes the row: only what belongs to the chosen members. */
function belongsTo(choice: ExtChoice | null, name: LongList, row: JsonObject): boolean {
  if (!choice || name === 'polls' || name === 'reminders' || name === 'buckets') return true
  const { members } = choice
  if (name === 'posts') return members.has(String(row.by)) || members.has(String(row.for))
  return members.has(String(row.member))
}

function serialize(entity: Entity, row: JsonObject): JsonObject {
  return { id: row.id, ...serializeFields(entity, row) }
}

// SQL text, because the builder has no type for one of several tables.
function select(
  entity: Entity,
  refs: Readonly<Record<string, SQLWrapper>>,
  author: SQLWrapper | null,
): SQL {
  const keys = entity.entries.map(([key]) => {
    const name = sql.identifier(key)
    if (refs[key]) return sql`${refs[key]} as ${name}`
    if (key === 'author_name' && author)
      return sql`coalesce(${deletedMemberName(author)}, ${name}) as ${name}`
    return sql`${name}`
  })
  // Sorting by `id` would sort by the UUID.
  return sql`select uuid as id, id as row_id, ${sql.join(keys, sql`, `)}`
}

/** Rows of a short list, in its order. */
function listOf(visible: SQLWrapper, entity: Entity, decoded: object) {
  return query(
    (_, { system }: Placeholders<'system'>) =>
      sql<JsonObject>`${select(entity, {}, null)} from ${visible}
        where system_id = ${system} order by position, row_id`,
    decoded,
  )
}

const fieldRows = listOf(visibleFields, customFieldInFiles, { options: fields.options })
const roomRows = listOf(visibleRooms, room, {})
const bucketRows = listOf(visibleBuckets, bucket, { default_for: buckets.default_for })

/** UUIDs of what a bucket contains. */
function inBucket({ table, row }: BucketLink, visible: SQLWrapper, id: SQLWrapper) {
  return query(
    (_, values: Placeholders<'bucket'>) =>
      sql<{ uuid: string }>`select uuid from ${visible} join ${table} on ${row} = ${id}
        where bucket_id = ${values.bucket} order by ${id}`,
  )
}

const contentsOf = {
  members: inBucket(bucketLinks.members, visibleMembers, visibleMembers.id),
  groups: inBucket(bucketLinks.groups, visibleGroups, visibleGroups.id),
  fields: inBucket(bucketLinks.fields, visibleFields, visibleFields.id),
}

/** Pages of a list, newest first. */
function pagesOf(
  visible: SQLWrapper,
  entity: Entity,
  refs: Readonly<Record<string, SQLWrapper>>,
  order: string,
  decoded: object,
  author: SQLWrapper | null = null,
) {
  const time = sql.identifier(order)
  const pages = query(
    (
      _,
      { system, before, beforeId, limit }: Placeholders<'system' | 'before' | 'beforeId' | 'limit'>,
    ) =>
      sql<JsonObject>`${select(entity, refs, author)}, ${time} as page_time from ${visible}
        where system_id = ${system} and (${time}, id) < (${before}, ${beforeId})
        order by ${time} desc, row_id desc limit ${limit}`,
    decoded,
  )
  return { entity, pages }
}

const uuidOf = (table: string, name: string) =>
  visibleMemberUuid(sql`${sql.identifier(table)}.${sql.identifier(name)}`)

const rowLists = {
  front_notes: pagesOf(
    visibleFrontNotes,
    frontNote,
    { member: uuidOf('front_notes', 'member_id'), by: uuidOf('front_notes', 'by_member') },
    'at',
    {},
    frontNotes.by_member,
  ),
  notes: pagesOf(
    visibleNotes,
    note,
    { member: uuidOf('notes', 'member_id') },
    'date',
    { pinned: notes.pinned },
    notes.member_id,
  ),
  posts: pagesOf(
    visiblePosts,
    post,
    {
      room: sql`(select ${rooms.uuid} from ${rooms} where ${rooms.id} = posts.room_id)`,
      for: uuidOf('posts', 'for_member'),
      by: uuidOf('posts', 'by_member'),
    },
    'written',
    { read: posts.read },
    posts.by_member,
  ),
  polls: pagesOf(visiblePolls, poll, {}, 'created', { options: polls.options }),
  reminders: pagesOf(visibleReminders, exportedReminder, {}, 'created', {
    enabled: reminders.enabled,
  }),
}

const memberIds = query(
  (_, { system }: Placeholders<'system'>) =>
    sql<{ id: number }>`select id from ${visibleMembers} where system_id = ${system} order by id`,
)

const memberRows = query(
  (_, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
    sql<JsonObject>`select members.uuid as member, member_ext.kind, member_ext.archived_at,
      member_ext.archived_reason, member_ext.announce_front, member_ext.about
      from ${visibleMembers} join ${memberExts} on member_ext.member_id = members.id
      where ${inJsonNumbers(sql`members.id`, members)} order by members.id`,
  { announce_front: memberExts.announce_front },
)

const groupRows = query(
  (_, { system }: Placeholders<'system'>) =>
    sql<JsonObject>`select groups.uuid as "group", parents.uuid as parent, group_ext.emoji,
      group_ext.position from ${visibleGroups} join ${groupExts} on group_ext.group_id = groups.id
      left join groups as parents on parents.id = group_ext.parent_id
      where groups.system_id = ${system} order by groups.id`,
)

const valueRows = query(
  (_, { members }: Placeholders<'members'>, { inJsonNumbers }) =>
    sql<JsonObject>`select members.uuid as member, fields.uuid as field, field_values.value
      from ${visibleMembers} join ${fieldValues} on field_values.member_id = members.id
      join ${visibleFields} on fields.id = field_values.field_id
      where ${inJsonNumbers(sql`members.id`, members)}
      order by members.id, fields.position, fields.id`,
)

const voteRows = query(
  (_, { polls: ids }: Placeholders<'polls'>, { inJsonNumbers }) =>
    sql<JsonObject>`select poll_votes.poll_id, poll_votes.option_id as option, poll_votes.comment,
      poll_votes.created, ${visibleMemberUuid(pollVotes.member_id)} as member,
      coalesce(${deletedMemberName(pollVotes.member_id)}, poll_votes.author_name) as author_name
      from ${pollVotes} where ${inJsonNumbers(sql`poll_votes.poll_id`, ids)}
      order by poll_votes.id`,
)

const originPages = query(
  (_, values: Placeholders<'system' | 'app' | 'collection' | 'id' | 'limit'>) =>
    sql<JsonObject>`select app, collection, source_id as id, target from ${origins}
      where system_id = ${values.system}
        and (app, collection, source_id) > (${values.app}, ${values.collection}, ${values.id})
        and ${isImportCommitted(origins.import_id)}
      order by app, collection, source_id limit ${values.limit}`,
)

const settingsOf = query((db, { system }: Placeholders<'system'>) =>
  db
    .select({ front_status_privacy: extSettingsOfSystems.front_status_privacy })
    .from(extSettingsOfSystems)
    .where(sql`${extSettingsOfSystems.system_id} = ${system}`),
)
