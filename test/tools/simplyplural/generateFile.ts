import type { JsonObject } from '../../../src/model/core/entity'
import { type Document, type Facts, type FileOptions, sizes } from './facts'
import { inShape } from './inShape'
import { DAY, EXPORTED, HOUR, RandomTexts } from './randomTexts'
import { customFrontNames, fieldTypes, groupNames, names, statusTexts } from './wordLists'

/**
 * Generates files in the format of Simply Plural's export, with the facts that an import must find in
 * them. The same seed gives the same file.
 */

export function generateFile({ seed, size, shape, isEncrypted = false }: FileOptions): {
  file: JsonObject
  facts: Facts
} {
  const making = new Making(seed, sizes[size], shape === 'legacy', isEncrypted)
  const documents = making.documents()
  if (shape === 'messy') making.addBroken(documents)
  return { file: inShape(documents, shape), facts: making.facts }
}

class Making extends RandomTexts {
  readonly facts: Facts = {
    system: { name: '', timezone: 'Europe/Oslo' },
    members: [],
    customFronts: [],
    groups: [],
    fields: [],
    values: [],
    presences: {},
    fronters: [],
    statuses: [],
    comments: [],
    notes: [],
    rooms: [],
    chat: [],
    boards: [],
    polls: [],
    reminders: [],
    buckets: [],
    archived: {},
    skippedChat: 0,
    secrets: [],
  }

  constructor(
    seed: number,
    readonly size: (typeof sizes)[keyof typeof sizes],
    readonly isLegacy: boolean,
    readonly isEncrypted: boolean,
  ) {
    super(seed, EXPORTED - size.fronts * 5 * HOUR)
  }

  documents(): Record<string, Document[]> {
    const uid = this.isLegacy ? 'legacyAccount000000000000001' : this.hex(64)
    const buckets = this.isLegacy
      ? []
      : ['Friends', 'Trusted friends'].map((name) => ({ _id: this.id(), uid, name, rank: '0|a:' }))
    const fields = this.#fields(buckets)
    const members = this.#members(fields, buckets)
    const customFronts = this.#customFronts(buckets)
    const groups = this.#groups(buckets)
    const { history, comments } = this.#fronts()
    const notes = this.#notes()
    const { channels, categories, messages } = this.#chat()
    const boards = this.#boards()
    const polls = this.#polls()
    const { repeated, automated } = this.#reminders()
    const friends = [
      { _id: this.id(), uid, frienduid: 'friend1', seeMembers: true, seeFront: true },
    ]
    const secret = (text: string) => {
      this.facts.secrets.push(text)
      return text
    }
    this.facts.system.name = `lantern-hill-${this.seed}`
    const user: Document = {
      _id: uid,
      uid,
      username: this.facts.system.name,
      desc: 'A small system',
      color: '#1f2128',
      avatarUrl: '',
      ...(this.isLegacy && {
        fields: Object.fromEntries(fields.map(({ _id, ...field }) => [_id, field])),
      }),
    }
    this.facts.archived.friends = 1
    // Both buckets have the same contents: a row is for all friends, or for none.
    const shared = (rows: readonly Document[]) =>
      rows.flatMap(({ _id, private: isHidden }) => (isHidden === false ? _id : [])).toSorted()
    this.facts.buckets = ['Friends', 'Trusted friends'].map((name) => ({
      name,
      members: shared([...members, ...customFronts]),
      groups: shared(groups),
      fields: shared(fields),
    }))
    return {
      users: [user],
      private: [
        {
          _id: uid,
          uid,
          location: this.facts.system.timezone,
          categories: categories.map(({ _id }) => _id),
          notificationToken: [secret(`push-${this.hex(60)}`)],
        },
      ],
      tokens: [{ _id: this.id(), uid, token: secret(this.hex(64)), permission: 7 }],
      securityLogs: [{ _id: this.id(), uid, ip: secret('203.0.113.77'), action: 'Logged in' }],
      dataExports: [{ _id: this.id(), uid, key: secret(this.hex(128)) }],
      reports: [
        {
          _id: this.id(),
          uid,
          url: secret(`https://serve.apparyllis.com/reports/${this.hex(32)}.html`),
          sendTo: secret('someone@mail.example'),
        },
      ],
      members,
      frontStatuses: customFronts,
      groups,
      frontHistory: history,
      comments,
      notes,
      channels,
      channelCategories: categories,
      chatMessages: messages,
      boardMessages: boards,
      polls,
      privacyBuckets: buckets,
      friends,
      repeatedReminders: repeated,
      automatedReminders: automated,
      ...(!this.isLegacy && { customFields: fields }),
    }
  }

  /** Adds rows that cannot be imported as they are. They must not disturb the others. */
  addBroken(documents: Record<string, Document[]>): void {
    const add = (collection: string, row: JsonObject) =>
      documents[collection]?.push({ _id: this.id(), ...row })
    add('frontHistory', {
      member: 'unknown',
      live: false,
      startTime: this.start,
      endTime: this.start + HOUR,
    })
    add('frontHistory', {
      member: this.facts.members[0]?.id,
      live: false,
      startTime: 'yesterday',
      endTime: this.start,
    })
    add('comments', {
      documentId: 'gone',
      collection: 'frontHistory',
      text: 'on a front that is gone',
      time: this.start,
    })
    add('polls', { name: 'a poll without options', custom: true, endTime: null })
    add('notes', { member: 'm1', title: '', note: '' })
    add('chatMessages', {
      channel: 'gone',
      writer: 'm1',
      message: 'in a room that is gone',
      writtenAt: this.start,
    })
    add('repeatedReminders', {
      name: '',
      message: '',
      dayInterval: 0,
      time: { hour: 25, minute: 61 },
      startTime: { day: 31, month: 2, year: 2026 },
    })
    add('automatedReminders', { name: 'never', message: 'x', delayInHours: -1, type: 9 })
    Object.assign(this.facts.archived, {
      comments: 1,
      polls: 1,
      notes: 1,
      chatMessages: 1,
      repeatedReminders: 1,
      automatedReminders: 1,
    })
  }

  #sharing(buckets: readonly Document[]): JsonObject {
    const isPrivate = this.chance(50)
    if (this.isLegacy) return { private: isPrivate, preventTrusted: isPrivate }
    return {
      private: isPrivate,
      preventTrusted: isPrivate,
      buckets: isPrivate ? [] : buckets.map(({ _id }) => _id),
    }
  }

  #fields(buckets: readonly Document[]): Document[] {
    const fields = fieldTypes.map(([name, type, kind], at) => {
      const _id = this.id()
      this.facts.fields.push({ id: _id, name, type: kind })
      const order = this.isLegacy ? at : `0|${String.fromCharCode(97 + at)}aaaaa:`
      return {
        _id,
        name,
        type,
        order,
        supportMarkdown: kind === 'markdown',
        ...this.#sharing(buckets),
      }
    })
    // The order of the list is not the order of the fields.
    return fields.toReversed()
  }

  /** Returns a value as the phone stored it, and as the type of its field reads it. */
  #value(type: string): [given: string, value: string] {
    const two = (limit: number) => String(1 + this.below(limit)).padStart(2, '0')
    const [year, month, day, hour] = [String(1970 + this.below(50)), two(12), two(28), two(22)]
    const stamp = `${year}-${month}-${day}${this.pick(['T', ' '])}${hour}:05:00.000`
    const color = this.hex(6)
    const text = this.sentence(6)
    const values: Record<string, [string, string]> = {
      markdown: [`**${text}**`, `**${text}**`],
      text: [text, text],
      color: [this.pick([`#${color}`, `#FF${color}`]), color],
      date: [stamp, `${year}-${month}-${day}`],
      month: [stamp, month],
      year: [stamp, year],
      month_year: [stamp, `${year}-${month}`],
      month_day: [stamp, `${month}-${day}`],
      moment: [stamp, `${year}-${month}-${day}T${hour}:05`],
    }
    return values[type] ?? ['', '']
  }

  #members(fields: readonly Document[], buckets: readonly Document[]): Document[] {
    return Array.from({ length: this.size.members }, (_, at) => {
      const _id = this.id()
      const name = names[at] ?? `${this.pick(names)} ${at}`
      const info = Object.fromEntries(
        fields.flatMap((field) => {
          if (this.chance(40)) return []
          const { type = '' } = this.facts.fields.find(({ id }) => id === field._id) ?? {}
          const [given, value] = this.#value(type)
          this.facts.values.push({ member: _id, field: field._id, value })
          return [[this.isLegacy && this.chance(50) ? String(field.name) : field._id, given]]
        }),
      )
      const archived = at > 2 && this.chance(12)
      const reason = archived && this.chance(70) ? 'gone quiet since the move' : ''
      const isQuiet = this.chance(10)
      const desc = at === 0 ? 'A long text. '.repeat(200) : this.sentence(8)
      this.facts.members.push({
        id: _id,
        name,
        archived,
        reason: reason || null,
        announced: !isQuiet,
        descriptionLength: desc.length,
      })
      return {
        _id,
        name,
        desc,
        pronouns: 'they/them',
        color: `#${this.hex(6)}`,
        archived,
        archivedReason: reason,
        preventsFrontNotifs: isQuiet,
        info,
        ...this.#sharing(buckets),
      }
    })
  }

  #customFronts(buckets: readonly Document[]): Document[] {
    return Array.from({ length: this.size.customFronts }, (_, at) => {
      const [_id, name] = [this.id(), customFrontNames[at] ?? `State ${at}`]
      this.facts.customFronts.push({ id: _id, name })
      return { _id, name, desc: '', color: '', ...this.#sharing(buckets) }
    })
  }

  #groups(buckets: readonly Document[]): Document[] {
    const depths = new Map<string, number>()
    const groups = Array.from({ length: this.size.groups }, (_, at) => {
      const _id = this.id()
      const shallow = [...depths].filter(([, depth]) => depth < 8).map(([id]) => id)
      const parent = at === 0 || this.chance(35) ? null : this.pick(shallow)
      depths.set(_id, 1 + (depths.get(parent ?? '') ?? 0))
      const emoji = this.pick(['🌱', 'L', '', '👩‍👩‍👧'])
      const name = groupNames[at] ?? `${this.pick(groupNames)} ${at}`
      const members = this.random.shuffle(this.#memberIds()).slice(0, this.below(6))
      this.facts.groups.push({
        id: _id,
        name,
        parent,
        emoji: emoji || null,
        members: members.toSorted(),
      })
      return {
        _id,
        name,
        parent: parent ?? 'root',
        emoji,
        members,
        desc: '',
        color: `#${this.hex(6)}`,
        ...this.#sharing(buckets),
      }
    })
    // Children may precede their parents.
    return groups.toReversed()
  }

  #memberIds(): string[] {
    return this.facts.members.map(({ id }) => id)
  }

  /** One row per presence; those of different fronters overlap. */
  #fronts(): { history: Document[]; comments: Document[] } {
    const history: Document[] = []
    const comments: Document[] = []
    const everyone = [...this.#memberIds(), ...this.facts.customFronts.map(({ id }) => id)]
    const add = (member: string, from: number, to: number | null) => {
      const _id = this.id(from)
      const customStatus = this.chance(15) ? this.pick(statusTexts) : ''
      if (customStatus) this.facts.statuses.push({ member, at: from, text: customStatus })
      if (this.chance(4)) {
        const isLate = to !== null && this.chance(20)
        const time = isLate && to !== null ? to + 1000 : from + this.below((to ?? EXPORTED) - from)
        const text = this.sentence(8)
        this.facts.comments.push({ member, at: isLate ? from : time, written: time, text })
        comments.push({
          _id: this.id(time),
          documentId: _id,
          collection: 'frontHistory',
          text,
          time,
        })
      }
      const known = this.facts.presences[member] ?? []
      this.facts.presences[member] = [...known, { from, to }]
      const end = to === null ? (this.chance(50) ? { endTime: from + 1 } : {}) : { endTime: to }
      history.push({
        _id,
        member,
        custom: !this.#memberIds().includes(member),
        live: to === null,
        startTime: from,
        ...end,
        customStatus,
      })
    }
    let at = this.start
    let last = ''
    for (let count = 0; count < this.size.fronts; count++) {
      const length = HOUR + this.below(3 * HOUR)
      const member = this.pick(everyone.filter((id) => id !== last))
      const isOpen = count === this.size.fronts - 1
      add(member, at, isOpen ? null : at + length)
      if (isOpen) this.facts.fronters.push(member)
      const other = this.pick(everyone)
      const isBeside = other !== member && !isOpen && this.chance(20)
      // Ends before the next presence begins, so that presences of one member never overlap.
      if (isBeside) add(other, at + 60_000, at + length - 60_000)
      last = member
      at += length + (this.chance(10) ? HOUR : 0)
    }
    for (const list of Object.values(this.facts.presences)) list.sort((a, b) => a.from - b.from)
    return { history, comments }
  }

  #notes(): Document[] {
    return Array.from({ length: this.size.notes }, (_, at) => {
      const date = this.sometime()
      const [_id, member, hex] = [this.id(date), this.pick(this.#memberIds()), this.hex(6)]
      const title = this.chance(90) ? this.sentence(3) : ''
      const note = at === 0 ? `${this.sentence(40)}\n`.repeat(40).trim() : this.sentence(12)
      const isIndexed = this.isLegacy && this.chance(40)
      this.facts.notes.push({
        id: _id,
        member,
        title: title || null,
        text: note,
        color: isIndexed ? 'c83232' : hex,
        date,
      })
      return {
        _id,
        member,
        title,
        note,
        color: isIndexed ? 1 : `#${hex}`,
        date,
        supportMarkdown: true,
      }
    })
  }

  #chat(): { channels: Document[]; categories: Document[]; messages: Document[] } {
    const channels = Array.from({ length: this.size.rooms }, (_, at) => ({
      _id: this.id(),
      name: `Room ${at}`,
      desc: '',
    }))
    const categories = ['General', 'Business'].map((name, at) => ({
      _id: this.id(),
      name,
      channels: channels.slice(at * 2, at * 2 + 2).map(({ _id }) => _id),
    }))
    const lastIn = new Map<string, string>()
    const counts = new Map<string, number>()
    const messages = Array.from({ length: this.size.chat }, (_, at) => {
      const written = this.start + Math.floor((at / this.size.chat) * (EXPORTED - this.start))
      const [_id, room, writer] = [
        this.id(written),
        this.pick(channels)._id,
        this.pick(this.#memberIds()),
      ]
      const mentioned = this.chance(10) ? this.pick(this.facts.members) : null
      const plain = this.sentence(1 + this.below(20))
      const before = lastIn.get(room)
      const replyTo = before !== undefined && this.chance(10) ? before : null
      const edited = this.chance(5) ? written + 60_000 : null
      lastIn.set(room, _id)
      if (this.isEncrypted) this.facts.skippedChat += 1
      else {
        counts.set(room, (counts.get(room) ?? 0) + 1)
        this.facts.chat.push({
          id: _id,
          room,
          by: writer,
          text: mentioned ? `@${mentioned.name} ${plain}` : plain,
          replyTo,
          edited,
        })
      }
      const text = mentioned ? `<###@${mentioned.id}###> ${plain}` : plain
      return {
        _id,
        channel: room,
        writer,
        writtenAt: written,
        message: this.isEncrypted ? this.encrypted(text.length) : text,
        iv: this.encrypted(16),
        ...(replyTo && { replyTo }),
        ...(edited && { updatedAt: edited }),
      }
    })
    for (const { _id, name } of channels) {
      const category = categories.find(({ channels: own }) => own.includes(_id))?.name ?? null
      this.facts.rooms.push({ id: _id, name, category, posts: counts.get(_id) ?? 0 })
    }
    return { channels, categories, messages }
  }

  #boards(): Document[] {
    return Array.from({ length: this.size.boards }, () => {
      const writtenAt = this.sometime()
      const [_id, writtenBy, writtenFor] = [
        this.id(writtenAt),
        this.pick(this.#memberIds()),
        this.pick(this.#memberIds()),
      ]
      const [title, read] = [this.sentence(2), this.chance(80)]
      this.facts.boards.push({ id: _id, for: writtenFor, by: writtenBy, title, read })
      return { _id, title, message: this.sentence(9), writtenBy, writtenFor, read, writtenAt }
    })
  }

  /** Adds reminders. Old files have digits in place of numbers. */
  #reminders(): { repeated: Document[]; automated: Document[] } {
    const none = { every_days: null, at: null, from: null, after: null, on: null }
    const number = (value: number) => (this.isLegacy ? String(value) : value)
    const repeated = Array.from({ length: 3 }, () => {
      const [hour, minute, day] = [this.below(24), this.below(60), 1 + this.below(28)]
      const [_id, dayInterval] = [this.id(), 1 + this.below(365)]
      const [name, message] = [this.sentence(3), this.sentence(6)]
      const two = (part: number) => String(part).padStart(2, '0')
      this.facts.reminders.push({
        ...{ id: _id, name, text: message, ...none, every_days: dayInterval },
        ...{ at: `${two(hour)}:${two(minute)}`, from: `2026-03-${two(day)}` },
      })
      const time = { hour: number(hour), minute: number(minute) }
      const startTime = { year: number(2026), month: number(3), day: number(day) }
      return { _id, name, message, dayInterval: number(dayInterval), time, startTime }
    })
    const automated = (['members', 'custom_fronts', 'any'] as const).map((on, type) => {
      const [_id, name, delayInHours] = [this.id(), this.sentence(2), this.pick([0.5, 8, 720])]
      const after = delayInHours * 3_600
      this.facts.reminders.push({ id: _id, name, text: null, ...none, after, on })
      return { _id, name, message: '', action: 0, delayInHours: number(delayInHours), type }
    })
    return { repeated, automated }
  }

  #polls(): Document[] {
    return Array.from({ length: this.size.polls }, (_, at) => {
      const born = this.sometime()
      const [_id, name] = [this.id(born), `${this.sentence(3)}?`]
      const custom = at % 2 === 0
      const [allowAbstain, allowVeto] = [this.chance(50), this.chance(50)]
      const own = ['blue', 'red', 'neither']
      const options = custom
        ? own
        : ['yes', 'no', ...(allowAbstain ? ['abstain'] : []), ...(allowVeto ? ['veto'] : [])]
      const voters = this.random.shuffle(this.#memberIds()).slice(0, this.below(9))
      const votes = voters.map((member) => ({
        member,
        option: this.pick(options),
        comment: this.chance(50) ? this.sentence(3) : null,
      }))
      this.facts.polls.push({
        id: _id,
        name,
        options,
        votes: votes.toSorted((a, b) => (a.member < b.member ? -1 : 1)),
      })
      return {
        _id,
        name,
        custom,
        endTime: born + 7 * DAY,
        ...(custom
          ? { options: own.map((option) => ({ name: option, color: '#223344' })) }
          : { allowAbstain, allowVeto }),
        // Votes are matched ignoring case.
        votes: votes.map(({ member, option, comment }) => ({
          id: member,
          vote: custom ? option : option.toUpperCase(),
          comment: comment ?? '',
        })),
      }
    })
  }
}
