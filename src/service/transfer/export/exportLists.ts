import type { Db } from '../../../db/types'
import { type Entity, type JsonObject, serializeFields } from '../../../model/core/entity'
import { error } from '../../../model/core/errors'
import { vote } from '../../../model/journal/poll'
import { defaultMemberExt, memberExt } from '../../../model/members/memberExt'
import { type OwnedList, ownedKind, ownedKinds } from '../../../model/ownedKinds'
import {
  type ListPosition,
  type LongList,
  longLists,
  type RowKey,
} from '../../../model/transfer/exportPosition'
import { exportLists } from '../../../model/transfer/transfer'
import {
  contentsOf,
  listByPosition,
  listPageBefore,
  memberIds,
  memberRows,
  originPage,
  PAGE,
  valueRows,
  voteRows,
  voteTotals,
} from '../../../store/transfer/exportExtRows'

/** Selection of a partial export: members and groups by UUID, and lists by name. */
export interface ExtChoice {
  members: ReadonlySet<string>
  groups: ReadonlySet<string>
  with: ReadonlySet<string>
}

/** Sizes in bytes. */
export interface ListSizes {
  /** Size up to which a list is in the first part. */
  readonly short: number
  /** Size of a part of a longer list. */
  readonly part: number
}

export interface ListPart {
  readonly name: LongList
  readonly rows: string[]
  readonly next: ListPosition | null
}

interface KeyedRow {
  readonly row: JsonObject
  readonly key: RowKey
}

/** Votes that are read at once. */
const MAX_VOTES = 2_000

/** Reads the lists in pages, so that other requests are answered in between. */
export class LongLists {
  constructor(
    readonly db: Db,
    readonly systemId: number,
    readonly choice: ExtChoice | null,
    readonly sizes: ListSizes,
    readonly step: () => Promise<unknown>,
  ) {}

  /** Reads the short lists, and returns the position of the long ones; null if there are none. */
  async split(): Promise<{ short: Map<LongList, string[]>; long: ListPosition | null }> {
    const short = new Map<LongList, string[]>()
    const lists: LongList[] = []
    for (const name of longLists) {
      const rows: string[] = []
      let size = 0
      for await (const { json } of this.#rows(name, null)) {
        rows.push(json)
        size += Buffer.byteLength(json)
        if (size > this.sizes.short) break
      }
      if (size > this.sizes.short) lists.push(name)
      else short.set(name, rows)
    }
    return { short, long: lists.length > 0 ? { lists, after: null } : null }
  }

  async partAt({ lists, after }: ListPosition): Promise<ListPart> {
    const [name, ...others] = lists
    if (name === undefined) throw error('notFound', 'there is no such part')
    const rows: string[] = []
    let size = 0
    let last = after
    for await (const { json, key } of this.#rows(name, after)) {
      const bytes = Buffer.byteLength(json) + 1
      if (size + bytes > this.sizes.part && size > 0)
        return { name, rows, next: { lists, after: last } }
      size += bytes
      rows.push(json)
      last = key
    }
    return { name, rows, next: others.length > 0 ? { lists: others, after: null } : null }
  }

  async *#rows(
    name: LongList,
    after: RowKey | null,
  ): AsyncGenerator<{ json: string; key: RowKey }> {
    const { choice } = this
    if (choice && !isChosen(choice, name)) return
    for await (const page of this.#pages(name, after)) {
      await this.step()
      for (const { row, key } of page)
        if (belongsTo(choice, name, row)) yield { json: JSON.stringify(row), key }
    }
  }

  #pages(name: LongList, after: RowKey | null): AsyncGenerator<KeyedRow[]> {
    if (name === 'members' || name === 'values') return this.#ofMembers(name, after)
    if (name === 'origins') return this.#origins(after)
    return ownedKind(name).order === 'position'
      ? this.#inOrder(name, after)
      : this.#ofRows(name, after)
  }

  async *#ofRows(name: OwnedList, after: RowKey | null): AsyncGenerator<KeyedRow[]> {
    const { entity, exported = entity } = ownedKind(name)
    for (let [before, beforeId] = (after ?? [Number.MAX_SAFE_INTEGER, 0]).map(Number); ; ) {
      const from = { before: before ?? 0, beforeId: beforeId ?? 0 }
      const page = await listPageBefore(this.db, name, this.systemId, from)
      const last = page.at(-1)
      if (!last) return
      before = Number(last.page_time)
      beforeId = Number(last.row_id)
      const rows = page.map((row) => ({
        row: serialize(exported, row),
        key: [Number(row.page_time), Number(row.row_id)],
      }))
      if (name === 'polls') yield* this.#withVotes(rows)
      else yield rows
    }
  }

  async *#ofMembers(name: 'members' | 'values', after: RowKey | null): AsyncGenerator<KeyedRow[]> {
    const { db, systemId } = this
    const [lastMember = 0, lastField] = after ?? []
    const from = Number(lastMember)
    const ids = (await memberIds(db, systemId, from)).map(({ id }) => id)
    for (let at = 0; at < ids.length; at += PAGE) {
      const members = ids.slice(at, at + PAGE)
      const rows =
        name === 'values'
          ? (await valueRows(db, members)).map(keyedValue)
          : (await memberRows(db, members)).flatMap(keyedMember)
      // The fields of a member have an order of their own.
      const knownIndex = rows.findLastIndex(
        ({ key: [member, field] }) =>
          Number(member) < from || (member === from && (name === 'members' || field === lastField)),
      )
      yield after && at === 0 ? rows.slice(knownIndex + 1) : rows
    }
  }

  async *#origins(after: RowKey | null): AsyncGenerator<KeyedRow[]> {
    let from: RowKey | undefined = after ?? ['', '', '']
    while (from) {
      const [app = '', collection = '', id = ''] = from.map(String)
      const rows = await originPage(this.db, this.systemId, { app, collection, id })
      const page: KeyedRow[] = rows.map((row) => ({
        row,
        key: [String(row.app), String(row.collection), String(row.id)],
      }))
      yield page
      from = page.at(-1)?.key
    }
  }

  /** Reads rows with a position, of which there are few. */
  async *#inOrder(name: OwnedList, after: RowKey | null): AsyncGenerator<KeyedRow[]> {
    const { entity, exported = entity } = ownedKind(name)
    const rows = await listByPosition(this.db, name, this.systemId)
    const last = rows.findIndex(({ row_id }) => row_id === after?.[0])
    for (const row of rows.slice(last + 1)) {
      const id = Number(row.row_id)
      const contents = name === 'buckets' ? await this.#contentsOf(id) : {}
      yield [{ row: { ...serialize(exported, row), ...contents }, key: [id] }]
    }
  }

  /** Lists what a privacy bucket contains; in a partial export, what that includes. */
  async #contentsOf(bucketId: number): Promise<JsonObject> {
    const { db, choice } = this
    const uuidsIn = async (content: keyof typeof contentsOf, chosen?: ReadonlySet<string>) =>
      (await contentsOf[content](db, bucketId)).flatMap(({ uuid }) =>
        !chosen || chosen.has(uuid) ? uuid : [],
      )
    return {
      members: await uuidsIn('members', choice?.members),
      groups: await uuidsIn('groups', choice?.groups),
      fields: await uuidsIn('fields'),
    }
  }

  /**
   * Adds the votes of a page of polls; of a partial export, those of its members. Yields a few polls
   * at a time, because each may have a vote of every member.
   */
  async *#withVotes(page: readonly KeyedRow[]): AsyncGenerator<KeyedRow[]> {
    const idOf = ({ key }: KeyedRow) => Number(key[1])
    const totals = new Map(
      (await voteTotals(this.db, page.map(idOf))).map(({ poll, votes }) => [poll, votes]),
    )
    for (let index = 0; index < page.length; ) {
      const few: KeyedRow[] = []
      let size = 0
      for (; index < page.length; index++) {
        const poll = page[index]
        if (!poll) break
        size += totals.get(idOf(poll)) ?? 0
        if (size > MAX_VOTES && few.length > 0) break
        few.push(poll)
      }
      const votes = Map.groupBy(await voteRows(this.db, few.map(idOf)), (vote) => vote.poll_id)
      yield few.map((poll) => {
        const ofPoll = (votes.get(idOf(poll)) ?? [])
          .filter(({ member }) => !this.choice || this.choice.members.has(String(member)))
          .map((row) => serializeFields(vote, row))
        return { ...poll, row: { ...poll.row, votes: ofPoll } }
      })
    }
  }
}

function keyedMember({ row_id, member, ...row }: JsonObject): KeyedRow[] {
  if (Bun.deepEquals(row, defaultMemberExt)) return []
  return [{ row: { member, ...serializeFields(memberExt, row) }, key: [Number(row_id)] }]
}

function keyedValue({ row_id, value, ...row }: JsonObject): KeyedRow {
  return {
    row: { ...row, value: JSON.parse(String(value)) },
    key: [Number(row_id), String(row.field)],
  }
}

/** Returns whether a partial export includes the row: only what belongs to the chosen members. */
function belongsTo(choice: ExtChoice | null, name: LongList, row: JsonObject): boolean {
  if (!choice) return true
  const { members } = choice
  const keys = memberKeysOf(name)
  return keys.length === 0 || keys.some((key) => members.has(String(row[key])))
}

/** Keys with the members that a row belongs to. */
function memberKeysOf(name: LongList): readonly string[] {
  // A comment belongs to the member that it is about.
  if (!isOwnedList(name) || name === 'front_notes') return ['member']
  return Object.entries(ownedKind(name).references).flatMap(([key, target]) =>
    target === 'member' || target === 'author' ? key : [],
  )
}

/** Returns whether a partial export has the list. */
function isChosen(choice: ExtChoice, name: LongList): boolean {
  if (name === 'origins') return false
  const part: string = isOwnedList(name) ? ownedKind(name).importPart : name
  return choice.with.has(part) || !exportLists.some((list) => list === part)
}

function isOwnedList(name: LongList): name is LongList & OwnedList {
  return name in ownedKinds
}

function serialize(entity: Entity, row: JsonObject): JsonObject {
  return { id: row.id, ...serializeFields(entity, row) }
}
