import { checks, findAll, repairAll } from '../../../src/doctor/consistencyChecks'
import { schemaHash } from '../../../src/model/core/schemaHash'
import { listedMemberExt } from '../../../src/model/members/memberExt'
import { renderRowJson } from '../../../src/serializers/v2'
import {
  type BaseSystem,
  createBaseSystem,
  type Named,
  type Send,
  type UsedExtensions,
  useAllExtensions,
} from '../../tools/allExtensions'
import { execute, insert, rows } from '../../tools/rawSql'
import { beforeAll, describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const { deps, ask, makeSystem } = createTestApp()

let system: TestSystem
let other: TestSystem
let base: BaseSystem
let used: UsedExtensions
let foreign: BaseSystem
let usedByOther: UsedExtensions

const sendAs =
  (as: TestSystem): Send =>
  async <T>(line: string, body?: unknown) => {
    const { status, text, json } = await ask<T>(line, { as, body })
    if (status >= 400) throw new Error(`${line}: ${text}`)
    return json
  }

beforeAll(async () => {
  system = await makeSystem('Hill')
  base = await createBaseSystem(sendAs(system))
  used = await useAllExtensions(sendAs(system), base)
  other = await makeSystem('Lantern')
  foreign = await createBaseSystem(sendAs(other))
  usedByOther = await useAllExtensions(sendAs(other), foreign)
})

/** Short IDs of groups by their level. */
const deep: Record<string, string> = {}

/** Adds groups inside of each other below "Guests", which is at level 3. */
async function nestDeeply(): Promise<void> {
  let parent = await idOf('groups', base.groups[2]?.uuid ?? '')
  for (const level of ['4', '5', '6', '7', '8', '9', '10']) {
    const group = await sendAs(system)<Named>('POST /v2/groups', { name: level })
    deep[level] = group.id
    const child = await idOf('groups', group.uuid)
    await change('insert into group_ext (group_id, parent_id) select :child, :parent', {
      child,
      parent,
    })
    parent = child
  }
}

interface Damage {
  damage(): Promise<unknown>
  finds(): string[]
  /** A query, and its rows after the repair. */
  leaves(): [query: string, rows: unknown[]]
}

const wren = () => base.members[0]?.id ?? ''
const hidOf = (at: number) => base.groups[at]?.id ?? ''
const fieldOf = (type: string) => used.fields[type] ?? ''

/** Stores another value for a field of Wren. */
const setValue = async (type: string, value: string) =>
  change('update field_values set value = :value where field_id = :field', {
    value,
    field: await idOf('fields', fieldOf(type)),
  })

const storedValue = (type: string) =>
  `select value from field_values join fields on fields.id = field_id where uuid = '${fieldOf(type)}'`

const wrongCounts = `select 1 as wrong from
  (select poll_id, option_id, count(*) as votes from poll_votes group by poll_id, option_id) counted
  left join poll_vote_counts using (poll_id, option_id)
  where poll_vote_counts.votes is null or poll_vote_counts.votes <> counted.votes`

const lastArchived =
  "select content from import_archive where collection = 'fieldValues' order by id desc limit 1"

const valueProblem = (type: string, problem: string) =>
  `field values: the value of member ${wren()} for field ${fieldOf(type)} ${problem}`

const archivedValue = (type: string, value: unknown) => ({
  content: JSON.stringify({ member: base.members[0]?.uuid, field: fieldOf(type), value }),
})

let reminder = ''

const repeating = {
  name: 'Log your front',
  kind: 'repeat',
  every_days: 365,
  at: '09:00',
  from: '2100-01-01',
}
const following = { name: 'Front check', kind: 'after_switch', after: 86_400, on: 'any' }
/** In the far future: the app sends what is due, and changes its row. */
const WRONG_DUE = Date.parse('2200-01-01T09:01:00Z') * 1000

async function addReminder(body: object): Promise<string> {
  const line = 'POST /ext/v1/systems/@me/reminders'
  return (await sendAs(system)<{ id: string }>(line, body)).id
}

const setDue = (due: number) =>
  change('update reminders set due = :due where uuid = :reminder', { due, reminder })

const dueOf = () => `select due from reminders where uuid = '${reminder}'`

/** Archives a row, as imports did. */
const archive = ({ id }: TestSystem, collection: string, row: object) =>
  deps.transact({ system: id }, (tx) =>
    insert(tx, 'import_archive', {
      ...{ system_id: id, collection, reader: 3 },
      ...{ content: JSON.stringify(row), digest: JSON.stringify(row) },
    }),
  )

const PICTURE = 'A'.repeat(24)

const insertPicture = (values: { size?: number; unused_since?: number }) =>
  deps.transact('new', async (tx) => {
    await execute(tx, 'delete from pictures where name = :name', { name: PICTURE })
    await insert(tx, 'pictures', {
      ...{ name: PICTURE, system_id: system.id, type: 'gif', size: 6, bytes: 'R0lGODlh' },
      created: 1,
      ...values,
    })
  })

/** Row ID of a friendship, and UUID of a bucket, that the damage below is about. */
let friendship = 0
let bucket = ''
let friendships = 0

const uuidOf = (id: number) => `friendship-${id}`

/** Makes the two systems friends. Returns the row ID of the friendship. */
async function addFriendship(): Promise<number> {
  const id = 1_000 + ++friendships
  await deps.transact('new', (tx) =>
    insert(tx, 'friendships', { id, uuid: uuidOf(id), created: 1 }),
  )
  await addSides(id, system.id, other.id)
  return id
}

const leftOf = (id: number) =>
  `select 1 as lost from friendships where id = ${id}
   union select 1 from friend_sides where friendship_id = ${id}`

const addSides = (friendship_id: number, one: number, another: number) =>
  deps.transact('new', async (tx) => {
    const side = { friendship_id, system_id: one, friend_system_id: another }
    await insert(tx, 'friend_sides', side)
    await insert(tx, 'friend_sides', { ...side, system_id: another, friend_system_id: one })
  })

const damages: Record<string, Damage> = {
  'opens a loop of groups at its oldest group': {
    damage: () => move(0, base.groups[2]?.uuid ?? ''),
    finds: () => [
      `group tree: groups ${hidOf(0)}, ${hidOf(2)}, and ${hidOf(1)} contain each other`,
    ],
    leaves: () => [
      `select hid from groups left join group_ext on group_id = id
       where system_id = ${system.id} and parent_id is null`,
      [{ hid: hidOf(0) }],
    ],
  },
  'takes a group out of itself': {
    damage: () => move(0, base.groups[0]?.uuid ?? ''),
    finds: () => [`group tree: group ${hidOf(0)} contains itself`],
    leaves: () => ['select 1 as loops from group_ext where parent_id = group_id', []],
  },
  'moves a group out of a group of another system': {
    damage: () => move(0, foreign.groups[0]?.uuid ?? ''),
    finds: () => [`group tree: group ${hidOf(0)} is in a group of another system`],
    leaves: () => [
      `select 1 as wrong from group_ext e join groups c on c.id = e.group_id
       join groups p on p.id = e.parent_id where c.system_id <> p.system_id`,
      [],
    ],
  },
  'moves groups that are too deep to the deepest level': {
    damage: nestDeeply,
    finds: () =>
      ['9', '10'].map(
        (level) => `group tree: group ${deep[level]} is at level ${level}, and 8 is the deepest`,
      ),
    leaves: () => [
      `select p.name as parent from groups c join group_ext on group_id = c.id join groups p on p.id = parent_id
       where c.name in ('8', '9', '10')`,
      [{ parent: '7' }, { parent: '7' }, { parent: '7' }],
    ],
  },
  'archives a value that does not fit its type': {
    damage: () => setValue('date', '"2004-02-31"'),
    finds: () => [valueProblem('date', 'does not fit its type')],
    leaves: () => [lastArchived, [archivedValue('date', '2004-02-31')]],
  },
  'archives a value that cannot be read': {
    damage: () => setValue('number', '4,5'),
    finds: () => [valueProblem('number', 'cannot be read')],
    leaves: () => [lastArchived, [archivedValue('number', '4,5')]],
  },
  'keeps what is stored for a text as the text': {
    damage: () => setValue('text', '[4, 5'),
    finds: () => [valueProblem('text', 'cannot be read')],
    leaves: () => [storedValue('text'), [{ value: '"[4, 5"' }]],
  },
  'converts a number of a text field to text': {
    damage: () => setValue('markdown', '45'),
    finds: () => [valueProblem('markdown', 'does not fit its type')],
    leaves: () => [storedValue('markdown'), [{ value: '"45"' }]],
  },
  'deletes an empty value': {
    damage: () => setValue('url', '""'),
    finds: () => [valueProblem('url', 'does not fit its type')],
    leaves: () => [storedValue('url'), []],
  },
  'removes options that do not exist from a list': {
    damage: () => setValue('choices', '["gone"]'),
    finds: () => [valueProblem('choices', 'names an option that does not exist')],
    leaves: () => [storedValue('choices'), []],
  },
  'archives a choice of an option that does not exist': {
    damage: () => setValue('choice', '"gone"'),
    finds: () => [valueProblem('choice', 'names an option that does not exist')],
    leaves: () => [lastArchived, [archivedValue('choice', 'gone')]],
  },
  'removes options of a field that has none by its type': {
    damage: async () =>
      change("update fields set options = '[]' where id = :id", {
        id: await idOf('fields', fieldOf('year')),
      }),
    finds: () => [`fields: field ${fieldOf('year')} of type year has options`],
    leaves: () => [
      `select options from fields where uuid = '${fieldOf('year')}'`,
      [{ options: null }],
    ],
  },
  'deletes votes for options that do not exist': {
    damage: () =>
      change(
        `update poll_votes set option_id = 'gone'
         where comment is not null and poll_id in (select id from polls where uuid = :poll)`,
        { poll: used.poll },
      ),
    finds: () => [`polls: vote N of poll ${used.poll} names an option that does not exist`],
    leaves: () => ["select 1 as lost from poll_votes where option_id = 'gone'", []],
  },
  'counts the votes of a poll again': {
    damage: () =>
      change(
        `update poll_vote_counts set votes = votes + 1
         where poll_id in (select id from polls where uuid = :poll)`,
        { poll: used.poll },
      ),
    finds: () => [`polls: the numbers of votes of poll ${used.poll} are wrong`],
    leaves: () => [wrongCounts, []],
  },
  'counts the votes of a poll without counts': {
    damage: () => change('delete from poll_vote_counts'),
    finds: () =>
      [used.poll, usedByOther.poll].map(
        (poll) => `polls: the numbers of votes of poll ${poll} are wrong`,
      ),
    leaves: () => [wrongCounts, []],
  },
  'counts the use of limits again': {
    damage: () =>
      change(
        'update ext_usage set notes = 7, posts = posts - 1, text_bytes = 0 where system_id = :id',
        { id: system.id },
      ),
    finds: () => [
      `usage: system ${system.hid} counts 0 bytes of text instead of N, 7 notes instead of 2, 3 posts instead of 4`,
    ],
    leaves: () => [
      `select notes, posts, front_notes from ext_usage where system_id = ${system.id}`,
      [{ notes: 2, posts: 4, front_notes: 3 }],
    ],
  },
  'counts the use of a system without counters': {
    damage: () => change('delete from ext_usage where system_id = :id', { id: other.id }),
    finds: () => [
      `usage: system ${other.hid} counts 0 bytes of text instead of N, 0 front notes instead of 3, 0 notes instead of 2, 0 posts instead of 4`,
    ],
    leaves: () => [
      `select notes, posts, front_notes from ext_usage where system_id = ${other.id}`,
      [{ notes: 2, posts: 4, front_notes: 3 }],
    ],
  },
  'computes when a reminder is due that is not due when its rule says': {
    damage: async () => {
      reminder = await addReminder(repeating)
      await setDue(WRONG_DUE)
    },
    finds: () => [`reminders: reminder ${reminder} is not due when its rule says`],
    leaves: () => [dueOf(), [{ due: Date.parse('2100-01-01T09:00:00Z') * 1000 }]],
  },
  'computes when a reminder is due that is on and has no time': {
    damage: async () => {
      reminder = await addReminder(repeating)
      await change('update reminders set due = null where uuid = :reminder', { reminder })
    },
    finds: () => [`reminders: reminder ${reminder} is on and has no time`],
    leaves: () => [dueOf(), [{ due: Date.parse('2100-01-01T09:00:00Z') * 1000 }]],
  },
  'clears when a reminder is due that is off': {
    damage: async () => {
      reminder = await addReminder({ ...repeating, enabled: false })
      await setDue(Date.parse('2100-01-01T09:00:00Z') * 1000)
    },
    finds: () => [`reminders: reminder ${reminder} is off and has a time`],
    leaves: () => [dueOf(), [{ due: null }]],
  },
  'clears when a reminder is due that was set by a switch that does not exist': {
    damage: async () => {
      reminder = await addReminder(following)
      await setDue(WRONG_DUE)
    },
    finds: () => [`reminders: reminder ${reminder} was set by a switch that does not exist`],
    leaves: () => [dueOf(), [{ due: null }]],
  },
  'computes when a reminder is due from the time of its switch': {
    damage: async () => {
      await sendAs(system)('POST /v2/systems/@me/switches', { members: [] })
      reminder = await addReminder(following)
      await change(
        `update reminders set due = :due, due_switch_id = (select max(id) from switches
         where system_id = :system) where uuid = :reminder`,
        { due: WRONG_DUE, reminder, system: system.id },
      )
    },
    finds: () => [`reminders: reminder ${reminder} is not due as long after its switch as set`],
    leaves: () => [
      `select 1 as is_right from reminders join switches on switches.id = due_switch_id
       where due = timestamp + 86400000000 and reminders.uuid = '${reminder}'`,
      [{ is_right: 1 }],
    ],
  },
  'deletes a picture that the cleanup should have deleted': {
    damage: () => insertPicture({ unused_since: 1_000_000 }),
    finds: () => [
      `pictures: picture ${PICTURE} is orphaned: no URL names it since 1970-01-01T00:00:01Z`,
    ],
    leaves: () => [`select name from pictures where name = '${PICTURE}'`, []],
  },
  'computes the size of a picture': {
    damage: () => insertPicture({ size: 60 }),
    finds: () => [
      `pictures: picture ${PICTURE} has a size of 60 bytes, but 8 characters of base64`,
    ],
    leaves: () => [`select size from pictures where name = '${PICTURE}'`, [{ size: 6 }]],
  },
  'deletes a friendship with one side': {
    damage: async () => {
      friendship = await addFriendship()
      await change(
        'delete from friend_sides where friendship_id = :friendship and system_id = :id',
        {
          friendship,
          id: other.id,
        },
      )
    },
    finds: () => [`friends: friendship ${uuidOf(friendship)} does not have two sides`],
    leaves: () => [leftOf(friendship), []],
  },
  'deletes a friendship whose sides do not name each other': {
    damage: async () => {
      friendship = await addFriendship()
      await change(
        'update friend_sides set friend_system_id = system_id where friendship_id = :friendship',
        { friendship },
      )
    },
    finds: () => [`friends: friendship ${uuidOf(friendship)} does not have two sides`],
    leaves: () => [leftOf(friendship), []],
  },
  'takes rows of another system out of a bucket': {
    damage: async () => {
      friendship = await addFriendship()
      const { id } = await sendAs(system)<{ id: string }>('POST /ext/v1/buckets', { name: 'Close' })
      bucket = id
      const third = await makeSystem('Third')
      await change('delete from friend_sides where friendship_id = :friendship', { friendship })
      await addSides(friendship, other.id, third.id)
      for (const [table, column, from] of [
        ['bucket_members', 'member_id', 'members'],
        ['bucket_groups', 'group_id', 'groups'],
        ['bucket_fields', 'field_id', 'fields'],
      ] as const)
        await change(
          `insert into ${table} (bucket_id, ${column}) select buckets.id, min(${from}.id)
           from buckets cross join ${from}
           where buckets.uuid = :bucket and ${from}.system_id in (:own, :foreign)
           group by buckets.id, ${from}.system_id`,
          { bucket, own: system.id, foreign: other.id },
        )
      await change(
        `insert into bucket_friends (bucket_id, friendship_id)
         select id, :friendship from buckets where uuid = :bucket`,
        { bucket, friendship },
      )
    },
    finds: () =>
      ['member', 'group', 'field', 'friend'].map(
        (what) => `buckets: bucket ${bucket} contains a ${what} of another system`,
      ),
    leaves: () => [
      `select 'member' as what, system_id from bucket_members join members on id = member_id
       union all select 'group', system_id from bucket_groups join groups on id = group_id
       union all select 'field', system_id from bucket_fields join fields on id = field_id
       union all select 'friend', 0 from bucket_friends order by 1`,
      ['field', 'group', 'member'].map((what) => ({ what, system_id: system.id })),
    ],
  },
  'deletes archived rows with passwords of Plural Star': {
    damage: async () => {
      await archive(system, 'members', { _id: 'm1', role: 'Host', mailboxPassword: 'SECRET' })
      await archive(system, 'members', { _id: 'm2', mailboxPassword: 'SECRET' })
      await archive(system, 'members', { _id: 'm3', info: '"mailboxPassword"' })
      await archive(other, 'members', { _id: 'm4', journalPassword: 'SECRET' })
    },
    finds: () => [
      `archive: system ${system.hid} has 2 archived rows of Plural Star with passwords`,
      `archive: system ${other.hid} has 1 archived row of Plural Star with passwords`,
    ],
    leaves: () => [
      "select content from import_archive where content like '%Password%'",
      [{ content: JSON.stringify({ _id: 'm3', info: '"mailboxPassword"' }) }],
    ],
  },
  'deletes stale JSON of the extensions of a member': {
    damage: async () => {
      await change('delete from rendered_member_ext')
      await change(
        `insert into rendered_member_ext (id, schema_hash, owner_json, public_json)
         select id, ${schemaHash(listedMemberExt)}, '{}', '{"about":"SECRET"}' from members where hid = :hid`,
        { hid: wren() },
      )
    },
    finds: () => [`rendered JSON: the cached JSON of the extensions of member ${wren()} is stale`],
    leaves: () => ['select 1 as stale from rendered_member_ext', []],
  },
}

describe('doctor of the extension API', () => {
  test('finds nothing after every part of it was used', async () => {
    expect(await problems()).toEqual([])
  })

  test('finds nothing after rows were changed and deleted', async () => {
    const third = await makeSystem('Harbour')
    const send = sendAs(third)
    const own = await createBaseSystem(send)
    const { fields, room, poll } = await useAllExtensions(send, own)
    const [wren, ash] = own.members.map(({ id }) => id)
    const notes = await send<{ id: string }[]>('GET /ext/v1/systems/@me/notes')
    for (const [line, body] of [
      [`PATCH /ext/v1/notes/${notes[0]?.id}`, { text: 'Shorter 🌅' }],
      [`DELETE /ext/v1/notes/${notes[1]?.id}`],
      [`PATCH /ext/v1/fields/${fields.choice}`, { options: [{ name: 'Gardener' }] }],
      [`PATCH /ext/v1/fields/${fields.flag}`, { type: 'text' }],
      [`DELETE /ext/v1/fields/${fields.markdown}`],
      [`PATCH /v2/members/${wren}`, { description: 'Clears the long description' }],
      [`DELETE /ext/v1/polls/${poll}/votes/${wren}`],
      [`DELETE /v2/groups/${own.groups[1]?.id}`],
      [`DELETE /v2/systems/@me/switches/${own.current}`],
      [`DELETE /ext/v1/rooms/${room}`],
      [`DELETE /v2/members/${ash}`],
      [`DELETE /v2/members/${wren}`],
      [`DELETE /ext/v1/polls/${poll}`],
    ] as const)
      await send(line, body)
    expect(await problems()).toEqual([])
  })

  test.each(Object.entries(damages))('%s', async (_, { damage, finds, leaves }) => {
    await damage()
    // Other damage makes the counters wrong, too.
    const isUsage = (problem: string) => problem.startsWith('usage:')
    const isAboutUsage = finds().some(isUsage)
    const found = (await problems()).filter((problem) => isAboutUsage || !isUsage(problem))
    expect(found).toEqual(finds())
    await deps.transact('new', (tx) => repairAll(tx, checks, rethrow, renderRowJson))
    expect(await problems()).toEqual([])
    const [query, expected] = leaves()
    expect(await rows<unknown>(deps.db, query)).toEqual(expected)
  })

  test('reports fields and polls that a person has to repair', async () => {
    const year = fieldOf('year')
    const choice = fieldOf('choice')
    const fields = await rows<{ id: number; type: string; options: string }>(
      deps.db,
      "select id, type, coalesce(options, '') as options from fields",
    )
    const polls = await rows<{ uuid: string; options: string }>(
      deps.db,
      'select uuid, options from polls',
    )
    await change("update fields set type = 'mood' where id = :id", {
      id: await idOf('fields', year),
    })
    await change("update fields set options = '[oh' where id = :id", {
      id: await idOf('fields', choice),
    })
    await change('update fields set options = null where id = :id', {
      id: await idOf('fields', fieldOf('choices')),
    })
    await change("update polls set options = '[]' where uuid = :uuid", { uuid: used.poll })
    await deps.transact('new', (tx) => repairAll(tx, checks, rethrow, renderRowJson))
    const remaining = await findAll(deps.db, checks, renderRowJson)
    const remedy = 'replace its options, or delete it'
    expect(remaining).toEqual([
      { check: 'fields', problem: `field ${year} has an unknown type` },
      { check: 'fields', problem: `the options of field ${choice} cannot be read`, remedy },
      {
        check: 'fields',
        problem: `field ${fieldOf('choices')} of type choices has no options`,
        remedy,
      },
      { check: 'polls', problem: `the options of poll ${used.poll} cannot be read`, remedy },
    ])
    for (const field of fields)
      await change(
        "update fields set type = :type, options = nullif(:options, '') where id = :id",
        field,
      )
    for (const poll of polls)
      await change('update polls set options = :options where uuid = :uuid', poll)
    // Counts the restored texts.
    await deps.transact('new', (tx) => repairAll(tx, checks, rethrow, renderRowJson))
  })
})

function rethrow(cause: unknown): void {
  throw cause
}

async function problems(): Promise<string[]> {
  const found = await findAll(deps.db, checks, renderRowJson)
  return found.map(({ check, problem }) =>
    `${check}: ${problem}`
      .replace(/vote \d+/, 'vote N')
      .replace(/text instead of \d+/, 'text instead of N'),
  )
}

async function change(sql: string, values: Record<string, string | number> = {}): Promise<void> {
  await deps.transact('new', (tx) => execute(tx, sql, values))
}

async function idOf(table: 'groups' | 'fields', uuid: string): Promise<number> {
  const [found] = await rows<{ id: number }>(
    deps.db,
    `select id from ${table} where uuid = :uuid`,
    { uuid },
  )
  return found?.id ?? 0
}

/** Puts a group into another one. */
async function move(at: number, parent: string): Promise<void> {
  const values = {
    child: await idOf('groups', base.groups[at]?.uuid ?? ''),
    parent: await idOf('groups', parent),
  }
  await change('delete from group_ext where group_id = :child', { child: values.child })
  await change('insert into group_ext (group_id, parent_id) select :child, :parent', values)
}
