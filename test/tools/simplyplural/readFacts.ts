import type { JsonObject } from '../../../src/model/core/entity'
import type { Facts } from './facts'

/** Finds the facts of a generated file in an export of the system that it was imported into. */
export function readFacts(
  exported: JsonObject,
): Omit<Facts, 'secrets' | 'skippedChat' | 'archived'> {
  return new ExportReader(exported).facts()
}

type Rows = JsonObject[]

class ExportReader {
  readonly #file: JsonObject
  readonly #ext: JsonObject
  /** IDs in the imported file by UUID. */
  readonly #ids: ReadonlyMap<unknown, string>
  readonly #collections: ReadonlyMap<unknown, string>

  constructor(file: JsonObject) {
    this.#file = file
    this.#ext = (file.multitude as JsonObject).ext as JsonObject
    const origins = this.#rows('origins')
    this.#ids = new Map(origins.map(({ target, id }) => [target, String(id)]))
    this.#collections = new Map(
      origins.map(({ target, collection }) => [target, String(collection)]),
    )
  }

  facts() {
    const { config, name } = this.#file as { config: JsonObject; name: string }
    return {
      system: { name, timezone: String(config.timezone) },
      ...this.#members(),
      groups: this.#groups(),
      fields: this.#rows('fields').map(({ id, name, type }) => ({
        id: this.#id(id),
        name: String(name),
        type: String(type),
      })),
      values: this.#rows('values').map(({ member, field, value }) => ({
        member: this.#id(member),
        field: this.#id(field),
        value: String(value),
      })),
      ...this.#fronts(),
      notes: this.#rows('notes').map((row) => ({
        id: this.#id(row.id),
        member: this.#id(row.member),
        title: row.title as string | null,
        text: String(row.text),
        color: row.color as string | null,
        date: time(row.date),
      })),
      ...this.#posts(),
      reminders: this.#rows('reminders').map((row) => ({
        id: this.#id(row.id),
        name: String(row.name),
        text: row.text as string | null,
        every_days: row.every_days as number | null,
        at: row.at as string | null,
        from: row.from as string | null,
        after: row.after as number | null,
        on: row.on as string | null,
      })),
      buckets: this.#rows('buckets').map((row) => {
        const ids = (list: unknown) => (list as string[]).map((uuid) => this.#id(uuid)).toSorted()
        return {
          name: String(row.name),
          members: ids(row.members),
          groups: ids(row.groups),
          fields: ids(row.fields),
        }
      }),
      polls: this.#rows('polls').map((row) => {
        const options = row.options as { id: string; name: string }[]
        const votes = (row.votes as Rows).map(({ member, option, comment }) => ({
          member: this.#id(member),
          option: options.find(({ id }) => id === option)?.name ?? '',
          comment: comment as string | null,
        }))
        return {
          id: this.#id(row.id),
          name: String(row.name),
          options: options.map(({ name }) => name),
          votes: sorted(votes),
        }
      }),
    }
  }

  #rows(list: string): Rows {
    return this.#ext[list] as Rows
  }

  #id(uuid: unknown): string {
    return this.#ids.get(uuid) ?? `no origin of ${uuid}`
  }

  #members(): Pick<Facts, 'members' | 'customFronts'> {
    const exts = new Map(this.#rows('members').map((row) => [row.member, row]))
    const all = (this.#file.members as Rows).map((row) => ({ row, ext: exts.get(row.uuid) ?? {} }))
    return {
      members: all
        .filter(({ ext }) => ext.kind !== 'custom_front')
        .map(({ row, ext }) => ({
          id: this.#id(row.uuid),
          name: String(row.name),
          archived: typeof ext.archived_at === 'string',
          reason: (ext.archived_reason ?? null) as string | null,
          announced: ext.announce_front !== false,
          descriptionLength: String(ext.about ?? row.description).length,
        })),
      customFronts: all
        .filter(({ ext }) => ext.kind === 'custom_front')
        .map(({ row }) => ({ id: this.#id(row.uuid), name: String(row.name) })),
    }
  }

  #groups(): Facts['groups'] {
    const exts = new Map(this.#rows('groups').map((row) => [row.group, row]))
    const members = new Map(
      (this.#file.members as Rows).map(({ id, uuid }) => [id, this.#id(uuid)]),
    )
    return (this.#file.groups as Rows).map((row) => {
      const { parent = null, emoji = null } = exts.get(row.uuid) ?? {}
      return {
        id: this.#id(row.uuid),
        name: String(row.name),
        parent: parent === null ? null : this.#id(parent),
        emoji: emoji as string | null,
        members: (row.members as string[]).map((hid) => members.get(hid) ?? '').toSorted(),
      }
    })
  }

  #fronts(): Pick<Facts, 'presences' | 'fronters' | 'statuses' | 'comments'> {
    const members = new Map(
      (this.#file.members as Rows).map(({ id, uuid }) => [String(id), this.#id(uuid)]),
    )
    const presences: Facts['presences'] = {}
    const open = new Map<string, { from: number; to: number | null }>()
    for (const { timestamp, members: fronters } of (this.#file.switches as Rows).toReversed()) {
      const now = new Set((fronters as string[]).map((hid) => members.get(hid) ?? ''))
      for (const [id, presence] of open)
        if (!now.has(id)) {
          presence.to = time(timestamp)
          open.delete(id)
        }
      for (const id of now) {
        if (open.has(id)) continue
        const presence = { from: time(timestamp), to: null }
        open.set(id, presence)
        presences[id] = [...(presences[id] ?? []), presence]
      }
    }
    const notes = this.#rows('front_notes').map((row) => ({
      ...row,
      member: this.#id(row.member),
      at: time(row.at),
      text: String(row.text),
      written: time(row.created),
      kind: row.kind,
    }))
    return {
      presences,
      fronters: [...open.keys()],
      statuses: notes
        .filter(({ kind }) => kind === 'status')
        .map(({ member, at, text }) => ({ member, at, text })),
      comments: notes
        .filter(({ kind }) => kind === 'comment')
        .map(({ member, at, written, text }) => ({ member, at, written, text })),
    }
  }

  #posts(): Pick<Facts, 'rooms' | 'chat' | 'boards'> {
    const posts = this.#rows('posts')
    const ofChat = (row: JsonObject) => this.#collections.get(row.id) === 'chatMessages'
    return {
      rooms: this.#rows('rooms').map(({ id, name, category }) => ({
        id: this.#id(id),
        name: String(name),
        category: category as string | null,
        posts: posts.filter(({ room }) => room === id).length,
      })),
      chat: posts.filter(ofChat).map((row) => ({
        id: this.#id(row.id),
        room: this.#id(row.room),
        by: this.#id(row.by),
        text: String(row.text),
        replyTo: row.reply_to === null ? null : this.#id(row.reply_to),
        edited: row.edited === null ? null : time(row.edited),
      })),
      boards: posts
        .filter((row) => !ofChat(row))
        .map((row) => ({
          id: this.#id(row.id),
          for: this.#id(row.for),
          by: this.#id(row.by),
          title: String(row.title),
          read: row.read === true,
        })),
    }
  }
}

function time(value: unknown): number {
  return Date.parse(String(value))
}

/** Sorts rows, because the order of most lists is not a fact. */
export function sorted<T>(rows: readonly T[]): T[] {
  return rows
    .map((row) => ({ row, key: JSON.stringify(row) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
    .map(({ row }) => row)
}
