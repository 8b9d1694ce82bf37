import { isObject } from '../../src/model/core/validation'

/** Checks a value; returns what is wrong, or nothing. */
type Rule = (value: unknown) => string | undefined

interface Shape {
  required: Readonly<Record<string, Rule>>
  optional: Readonly<Record<string, Rule>>
}

const text: Rule = (value) => (typeof value === 'string' ? undefined : 'not text')
const id: Rule = (value) => (typeof value === 'string' && value !== '' ? undefined : 'not an ID')
const number: Rule = (value) => (typeof value === 'number' ? undefined : 'not a number')
const flag: Rule = (value) => (typeof value === 'boolean' ? undefined : 'neither true nor false')
const object: Rule = (value) => (isObject(value) ? undefined : 'not an object')
const anything: Rule = (value) => (value === undefined ? 'missing' : undefined)
const matching =
  (pattern: RegExp): Rule =>
  (value) =>
    typeof value === 'string' && pattern.test(value) ? undefined : `does not match ${pattern}`
const time = matching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
const day = matching(/^\d{4}-\d\d-\d\d$/)
const color = matching(/^#[0-9a-f]{6}$/i)
const oneOf =
  (...words: readonly string[]): Rule =>
  (value) =>
    words.includes(String(value)) ? undefined : `not one of ${words.join(', ')}`
const orNull =
  (rule: Rule): Rule =>
  (value) =>
    value === null ? undefined : rule(value)
const listOf =
  (rule: Rule): Rule =>
  (value) => {
    if (!Array.isArray(value)) return 'not a list'
    return value.map(rule).find((problem) => problem !== undefined)
  }
const shaped =
  (shape: Shape): Rule =>
  (value) =>
    isObject(value) ? problemsOf(shape, value)[0] : 'not an object'

function problemsOf({ required, optional }: Shape, value: Record<string, unknown>): string[] {
  const problems: string[] = []
  for (const [key, rule] of Object.entries(required)) {
    const problem = rule(value[key])
    if (problem !== undefined) problems.push(`${key}: ${problem}`)
  }
  for (const [key, given] of Object.entries(value)) {
    if (Object.hasOwn(required, key)) continue
    const rule = Object.hasOwn(optional, key) ? optional[key] : () => 'unknown key'
    const problem = given === undefined ? undefined : rule?.(given)
    if (problem !== undefined) problems.push(`${key}: ${problem}`)
  }
  return problems
}

const sourceRef = shaped({
  required: { app: text, collection: text, id: text },
  optional: { uuid: orNull(text) },
})
const privacy = shaped({
  required: {},
  optional: {
    visibility: oneOf('public', 'friends', 'private', 'trusted', 'unknown'),
    source: object,
  },
})
/** Keys that any record may have. */
const shared = { source_refs: listOf(sourceRef), extensions: object, privacy }
const ofSystem = { id, system_id: id }
const assignment = shaped({
  required: { member_id: id, front_role: text },
  optional: {
    confidence: orNull(number),
    presence: orNull(text),
    mood: orNull(text),
    energy: orNull(text),
    location: orNull(text),
    note: orNull(text),
    source_refs: listOf(sourceRef),
  },
})

/** Records of draft 0.1 by the list that they are in. */
const shapes: Readonly<Record<string, Shape>> = {
  systems: {
    required: { id, name: text },
    optional: {
      ...shared,
      display_name: orNull(text),
      description: orNull(text),
      tag: orNull(text),
      color: orNull(color),
      avatar_asset_id: orNull(id),
      banner_asset_id: orNull(id),
      parent_system_id: orNull(id),
      archived: flag,
      settings: object,
    },
  },
  members: {
    required: ofSystem,
    optional: {
      ...shared,
      name: orNull(text),
      display_name: orNull(text),
      pronouns: orNull(text),
      description: orNull(text),
      age: orNull(text),
      birthday: orNull(
        shaped({
          required: {
            value: matching(/^(\d{4}-\d\d-\d\d|--\d\d-\d\d|\d{4}|\d{4}-\d\d)$/),
            precision: oneOf('day', 'month', 'year', 'month_day'),
          },
          optional: { year_visible: flag },
        }),
      ),
      color: orNull(color),
      avatar_asset_id: orNull(id),
      banner_asset_id: orNull(id),
      proxy_tags: listOf(
        shaped({ required: {}, optional: { prefix: orNull(text), suffix: orNull(text) } }),
      ),
      is_custom_front: flag,
      archived: flag,
      created_at: orNull(time),
      sort_order: orNull(number),
    },
  },
  groups: {
    required: { ...ofSystem, name: text },
    optional: {
      ...shared,
      description: orNull(text),
      color: orNull(color),
      emoji: orNull(text),
      parent_group_id: orNull(id),
      sort_order: orNull(number),
    },
  },
  group_memberships: {
    required: { id, group_id: id, member_id: id },
    optional: { sort_order: orNull(number), source_refs: listOf(sourceRef) },
  },
  taxonomy_terms: { required: { ...ofSystem, kind: text, name: text }, optional: shared },
  taxonomy_assignments: { required: { id, term_id: id, subject_id: id }, optional: shared },
  custom_fields: {
    required: {
      ...ofSystem,
      name: text,
      field_type: oneOf(
        'text',
        'markdown',
        'number',
        'boolean',
        'color',
        'date',
        'date_range',
        'timestamp',
        'month',
        'year',
        'month_year',
        'month_day',
        'select',
        'multiselect',
        'json',
      ),
    },
    optional: {
      ...shared,
      options: orNull(listOf(text)),
      supports_markdown: flag,
      date_precision: orNull(oneOf('day', 'month', 'year', 'month_day')),
      sort_order: orNull(number),
    },
  },
  custom_field_values: {
    required: {
      id,
      field_id: id,
      subject_type: oneOf('member', 'system'),
      subject_id: id,
      value: anything,
    },
    optional: { source_refs: listOf(sourceRef), extensions: object },
  },
  front_periods: {
    required: { ...ofSystem, started_at: time, assignments: listOf(assignment) },
    optional: shared,
  },
  front_events: {
    required: { ...ofSystem, at: time, assignments: listOf(assignment) },
    optional: { ...shared, note: orNull(text) },
  },
  front_comments: {
    required: { ...ofSystem, target_time: time, body: text, created_at: time },
    optional: {
      ...shared,
      front_period_id: orNull(id),
      front_event_id: orNull(id),
      author_member_id: orNull(id),
      edited_at: orNull(time),
    },
  },
  notes: {
    required: { ...ofSystem, body: text, created_at: time },
    optional: {
      ...shared,
      member_id: orNull(id),
      title: orNull(text),
      updated_at: orNull(time),
      entry_date: orNull(day),
      author_member_ids: listOf(id),
      color: orNull(color),
      visibility: orNull(oneOf('private', 'system', 'friends', 'trusted', 'public')),
      pinned: flag,
      content_warning: orNull(text),
      attachment_asset_ids: listOf(id),
    },
  },
  assets: {
    required: {
      id,
      kind: oneOf('avatar', 'banner', 'image', 'audio', 'video', 'file', 'thumbnail', 'unknown'),
      uri: text,
    },
    optional: shared,
  },
  'chat.conversations': {
    required: {
      ...ofSystem,
      kind: text,
      access: shaped({ required: { kind: oneOf('all_members') }, optional: {} }),
    },
    optional: {
      ...shared,
      title: orNull(text),
      category: orNull(text),
      description: orNull(text),
      emoji: orNull(text),
      archived: flag,
      sort_order: orNull(number),
    },
  },
  'chat.messages': {
    required: { id, conversation_id: id, body: text, created_at: time },
    optional: {
      ...shared,
      author_member_id: orNull(id),
      kind: oneOf('text', 'image', 'file', 'system', 'reply', 'reaction', 'unknown'),
      edited_at: orNull(time),
      reply_to_message_id: orNull(id),
      attachment_asset_ids: listOf(id),
      pinned: flag,
    },
  },
  'boards.posts': {
    required: { ...ofSystem, body: text, created_at: time },
    optional: {
      ...shared,
      target_member_id: orNull(id),
      author_member_id: orNull(id),
      title: orNull(text),
      audience: oneOf('public', 'private', 'unknown'),
      pinned: flag,
      written_at: orNull(time),
      edited_at: orNull(time),
      deleted_at: orNull(time),
    },
  },
}

const envelope: Shape = {
  required: {
    pluralport_version: oneOf('0.1'),
    exported_at: time,
    producer: shaped({
      required: { app: text },
      optional: { app_version: text, exporter_version: text, app_id: text },
    }),
    capabilities: shaped({
      required: {
        modules: listOf(
          oneOf(
            'systems',
            'members',
            'groups',
            'custom_fields',
            'front_events',
            'front_comments',
            'notes',
            'assets',
            'chat',
            'boards',
          ),
        ),
      },
      optional: {},
    }),
    extensions: object,
    warnings: listOf(
      shaped({
        required: { level: oneOf('info', 'warning', 'error'), code: text, message: text },
        optional: {
          record_type: orNull(text),
          record_id: orNull(id),
          count: orNull(number),
        },
      }),
    ),
    chat: object,
    boards: object,
    ...Object.fromEntries(
      Object.keys(shapes)
        .filter((name) => !name.includes('.'))
        .map((name) => [name, listOf(object)]),
    ),
  },
  optional: {},
}

/** References between records: the list, the key and the list that it refers to. */
const references: readonly (readonly [from: string, key: string, to: string])[] = [
  ['members', 'system_id', 'systems'],
  ['members', 'avatar_asset_id', 'assets'],
  ['members', 'banner_asset_id', 'assets'],
  ['groups', 'parent_group_id', 'groups'],
  ['group_memberships', 'group_id', 'groups'],
  ['group_memberships', 'member_id', 'members'],
  ['custom_field_values', 'field_id', 'custom_fields'],
  ['custom_field_values', 'subject_id', 'members'],
  ['front_comments', 'author_member_id', 'members'],
  ['notes', 'member_id', 'members'],
  ['chat.messages', 'conversation_id', 'chat.conversations'],
  ['chat.messages', 'author_member_id', 'members'],
  ['boards.posts', 'target_member_id', 'members'],
  ['boards.posts', 'author_member_id', 'members'],
]

/**
 * Returns every violation of draft 0.1 of PluralPort in a file. Written by hand after the field
 * tables of the draft; keys that it does not have are violations, too.
 */
export function findPluralportProblems(file: Record<string, unknown>): string[] {
  const problems = problemsOf(envelope, file)
  const lists = new Map<string, Record<string, unknown>[]>()
  for (const [name, shape] of Object.entries(shapes)) {
    const [module = '', inner] = name.split('.')
    const owner = file[module]
    const list = inner === undefined ? owner : isObject(owner) ? owner[inner] : undefined
    if (!Array.isArray(list)) {
      problems.push(`${name}: not a list`)
      continue
    }
    lists.set(name, list)
    const ids = new Set<unknown>()
    for (const [at, record] of list.entries()) {
      if (!isObject(record)) problems.push(`${name}.${at}: not an object`)
      else {
        problems.push(...problemsOf(shape, record).map((problem) => `${name}.${at}.${problem}`))
        if (ids.has(record.id)) problems.push(`${name}.${at}.id: given twice`)
        ids.add(record.id)
      }
    }
  }
  for (const [from, key, to] of references) {
    const known = new Set(lists.get(to)?.map((record) => record.id))
    for (const [at, record] of (lists.get(from) ?? []).entries()) {
      const ref = record[key]
      if (ref !== null && ref !== undefined && !known.has(ref))
        problems.push(`${from}.${at}.${key}: refers to nothing`)
    }
  }
  return problems
}
