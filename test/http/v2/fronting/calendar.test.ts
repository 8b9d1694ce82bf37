import { expect, test } from 'bun:test'
import ICAL from 'ical.js'
import ical from 'node-ical'
import { parseInstant } from '../../../../src/model/time'
import { createFixture, type Fixture } from '../../../scenarios'
import { createTestApp } from '../../../testApp'

const place = createTestApp()

interface Event {
  uid: string
  title: string
  start: string
  end: string | null
}

/** The same calendar, read by two programs that know nothing of each other. */
function readTwice(text: string): Event[] {
  const first = new ICAL.Component(ICAL.parse(text))
    .getAllSubcomponents('vevent')
    .map((component): Event => {
      const event = new ICAL.Event(component)
      const end = component.getFirstPropertyValue('dtend')
      return {
        uid: event.uid,
        title: event.summary,
        start: event.startDate.toJSDate().toISOString(),
        end: end === null ? null : event.endDate.toJSDate().toISOString(),
      }
    })
  const second = Object.values(ical.sync.parseICS(text)).flatMap((one): Event[] =>
    one?.type === 'VEVENT'
      ? [
          {
            uid: one.uid,
            title: String(one.summary),
            start: one.start.toISOString(),
            end: one.end && text.includes('DTEND') ? new Date(one.end).toISOString() : null,
          },
        ]
      : [],
  )
  expect(sorted(second)).toEqual(sorted(first))
  return first
}

const sorted = (events: Event[]) => events.toSorted((a, b) => (a.uid < b.uid ? -1 : 1))

const SPAN = 'since=2024-01-02T00:00:00Z&until=2024-01-03T00:00:00Z'

const subscribe = async (world: Fixture, as: 'owner' | 'nobody', span = SPAN) => {
  const answer = await world.ask(`GET /v2/systems/<own>/fronting.ics?${span}`, undefined, as)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  return answer.text
}

test('two calendar programs read whole stints from the subscription', async () => {
  const world = await createFixture(place)
  const { wren, finch } = world
  const events = readTwice(await subscribe(world, 'nobody'))
  const began = parseInstant('2024-01-01T10:00:00.000001Z')
  expect(sorted(events)).toEqual(
    sorted([
      {
        uid: `${wren.hid}-${began}@multitude`,
        title: wren.display_name ?? wren.name,
        start: '2024-01-01T10:00:00.000Z',
        end: '2024-01-02T10:00:00.000Z',
      },
      {
        uid: `${finch.hid}-${began}@multitude`,
        title: finch.display_name ?? finch.name,
        start: '2024-01-01T10:00:00.000Z',
        end: expect.any(String) as unknown as string,
      },
    ]),
  )
})

test('an event keeps its UID when the stint ends', async () => {
  const world = await createFixture(place)
  const before = readTwice(await subscribe(world, 'owner', ''))
  await world.do('POST /v2/systems/@me/switches', { members: [] })
  const after = readTwice(await subscribe(world, 'owner', ''))
  expect(before).toHaveLength(1)
  expect(after.map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid))
})

test('events are those of the other calendar export', async () => {
  const world = await createFixture(place)
  const { text } = await world.ask('GET /v2/systems/@me/export/front-history?format=ics')
  const titlesOf = (calendar: string) =>
    sorted(readTwice(calendar)).map(({ uid, title }) => ({ uid, title }))
  const span = 'since=2020-01-01'
  expect(titlesOf(await subscribe(world, 'owner', span))).toEqual(titlesOf(text))
})

test('names that are hard to write are read as they are', async () => {
  const world = await createFixture(place)
  const display_name = 'Wren; "the, first"\\ 🏮 '.repeat(4).trim()
  await world.do('PATCH /v2/members/<wren>', { display_name })
  const titles = readTwice(await subscribe(world, 'nobody')).map(({ title }) => title)
  expect(titles).toContain(display_name)
})

test('a stranger is not told a private name, neither a member’s nor the system’s', async () => {
  const world = await createFixture(place)
  await world.do('PATCH /v2/systems/@me', { privacy: { name_privacy: 'private' } })
  await world.do('PATCH /v2/members/<wren>', {
    name: 'Secret Name',
    display_name: 'W',
    privacy: { name_privacy: 'private' },
  })
  const text = await subscribe(world, 'nobody')
  expect(text).not.toContain('Secret Name')
  expect(text).not.toContain('Lantern Hill')
  expect(text).toContain('X-WR-CALNAME:Front history')
  expect(await subscribe(world, 'owner')).toContain('X-WR-CALNAME:Lantern Hill')
})
