import { customFieldTypes, hasOptions } from '../../src/model/members/customField'
import { ME } from './me'

/** A system of v1 and v2, and the use of everything that the extension API adds to it. */

/** Sends "METHOD /path" as the system, and returns the JSON of a successful response. */
export type Send = <T>(line: string, body?: unknown) => Promise<T>

/** Short IDs and UUIDs of v2 objects. */
export interface Named {
  id: string
  uuid: string
}

export interface BaseSystem {
  readonly members: readonly Named[]
  readonly groups: readonly Named[]
  /** UUID of the current switch. */
  readonly current: string
}

const names = ['Wren', 'Ash', 'Elm', 'Asleep'] as const

/** Creates members, nested groups to be, and switches, with v2 only. */
export async function createBaseSystem(send: Send): Promise<BaseSystem> {
  const members: Named[] = []
  for (const name of names)
    members.push(
      await send<Named>('POST /v2/members', {
        name,
        description: `About ${name}`,
        proxy_tags: [{ prefix: `${name.toLowerCase()}:`, suffix: null }],
      }),
    )
  const groups: Named[] = []
  for (const name of ['Keepers', 'Lamps', 'Guests']) {
    const group = await send<Named>('POST /v2/groups', { name })
    await send(
      `POST /v2/groups/${group.id}/members/add`,
      members.slice(groups.length).map(({ id }) => id),
    )
    groups.push(group)
  }
  const [wren, ash, , asleep] = members
  const log = (timestamp: string, ...fronters: (Named | undefined)[]) =>
    send<Named>('POST /v2/systems/@me/switches', {
      timestamp,
      members: fronters.map((one) => one?.id),
    })
  await log('2026-01-01T08:00:00Z', wren)
  await log('2026-01-01T09:00:00Z', asleep)
  const { id: current } = await log('2026-01-01T10:00:00Z', wren, ash)
  return { members, groups, current }
}

/** Values of custom fields by their type. */
const values: Record<(typeof customFieldTypes)[number], unknown> = {
  text: 'Keeps the lamps',
  markdown: '**Keeps** the lamps',
  color: '88c0a8',
  date: '2004-11-02',
  month: '11',
  year: '2004',
  month_year: '2004-11',
  month_day: '11-02',
  moment: '2004-11-02T10:30',
  number: 4.5,
  flag: true,
  url: 'https://lantern.example/wren',
  choice: 0,
  choices: [0, 1],
}

export interface UsedExtensions {
  /** UUIDs of the fields by their type. */
  readonly fields: Readonly<Record<string, string>>
  readonly room: string
  readonly poll: string
}

/** Uses every part of the extension API, and changes nothing that v1 and v2 show. */
export async function useAllExtensions(
  send: Send,
  { members, groups, current }: BaseSystem,
): Promise<UsedExtensions> {
  const [wren, ash, elm, asleep] = members.map(({ uuid }) => uuid)
  await send(`PATCH ${ME}/settings`, { front_status_privacy: 'public' })

  const fields: Record<string, string> = {}
  const valuesById: Record<string, unknown> = {}
  for (const type of customFieldTypes) {
    const options = hasOptions(type)
      ? [{ name: 'Keeper', color: '88c0a8' }, { name: 'Cook' }]
      : null
    const field = await send<{ id: string; options: { id: string }[] | null }>(
      `POST ${ME}/fields`,
      { name: `Field ${type}`, type, options, privacy: 'public' },
    )
    fields[type] = field.id
    const ids = field.options?.map(({ id }) => id) ?? []
    valuesById[field.id] = type === 'choice' ? ids[0] : type === 'choices' ? ids : values[type]
  }
  await send(`PATCH /ext/v1/members/${wren}`, {
    member: { description: 'About Wren' },
    about: 'About Wren, and much more',
    fields: valuesById,
    announce_front: false,
  })
  await send(`PATCH /ext/v1/members/${elm}`, { archived: true, archived_reason: 'Integrated' })
  await send(`PATCH /ext/v1/members/${asleep}`, { kind: 'custom_front' })

  const [top, middle, bottom] = groups.map(({ uuid }) => uuid)
  await send(`PATCH /ext/v1/groups/${middle}`, { parent: top, emoji: '🌱' })
  await send(`PATCH /ext/v1/groups/${bottom}`, { parent: middle, position: 3 })

  const status = { kind: 'status', at: '2026-01-01T10:00:00Z' }
  await send(`POST ${ME}/front/notes`, { ...status, member: wren, text: 'at work' })
  await send(`POST ${ME}/front/notes`, { ...status, member: ash, text: 'reading' })
  const comment = { kind: 'comment', at: '2026-01-01T09:30:00Z', text: 'A quiet hour' }
  await send(`POST ${ME}/front/notes`, { ...comment, by: ash })
  await send(`PUT ${ME}/switches/${current}`, { members: [wren, ash] })

  await send(`POST ${ME}/notes`, { member: wren, title: 'Tuesday', text: '**Quiet** morning 🌅' })
  await send(`POST ${ME}/notes`, { text: 'For everyone', pinned: true })

  const { id: room } = await send<{ id: string }>(`POST ${ME}/rooms`, {
    name: 'General',
    about: 'Everything',
    category: 'System business',
  })
  const first = await send<{ id: string }>(`POST ${ME}/posts`, { room, by: ash, text: 'Hello' })
  await send(`POST ${ME}/posts`, { room, by: wren, text: 'Hello!', reply_to: first.id })
  await send(`POST ${ME}/posts`, {
    for: wren,
    by: ash,
    title: 'Groceries',
    text: 'Milk, please.',
  })
  await send(`POST ${ME}/posts`, { text: 'On the board of the system' })

  const poll = await send<{ id: string; options: { id: string }[] }>(`POST ${ME}/polls`, {
    name: 'Move the desk?',
    about: 'By the window',
    options: [{ name: 'yes' }, { name: 'no', veto: true }],
  })
  const [yes, no] = poll.options.map(({ id }) => id)
  await send(`PUT /ext/v1/polls/${poll.id}/votes/${wren}`, { option: yes, comment: 'finally' })
  await send(`PUT /ext/v1/polls/${poll.id}/votes/${ash}`, { option: no })
  await send(`POST ${ME}/reminders`, {
    name: 'Log your front',
    text: 'Who is here?',
    kind: 'repeat',
    every_days: 1,
    at: '09:00',
    from: '2026-03-22',
    // An import turns reminders off.
    enabled: false,
  })
  await send(`POST ${ME}/reminders`, {
    name: 'Front check',
    kind: 'after_switch',
    after: 3_600,
    on: 'members',
    enabled: false,
  })
  return { fields, room, poll: poll.id }
}
