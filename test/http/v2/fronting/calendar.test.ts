import ICAL from 'ical.js'
import ical from 'node-ical'
import { parseInstant } from '../../../../src/model/core/time'
import { createFixture, type Fixture } from '../../../tools/scenarios'
import { expect, test } from '../../../tools/test'
import { createTestApp } from '../../../tools/testApp'

const testApp = createTestApp()

interface Event {
  uid: string
  title: string
  start: string
  end: string | null
}

/** Parses a calendar with two independent libraries and expects the same events from both. */
function parseTwice(text: string): Event[] {
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

const subscribe = async (fixture: Fixture, as: 'owner' | 'anonymous', span = SPAN) => {
  const answer = await fixture.ask(`GET /v2/systems/<own>/fronting.ics?${span}`, undefined, as)
  expect(answer.status).toBe(200)
  expect(answer.headers.get('content-type')).toBe('text/calendar; charset=utf-8')
  return answer.text
}

test('fronting.ics contains complete stints that two calendar libraries can read', async () => {
  const fixture = await createFixture(testApp)
  const { wren, finch } = fixture
  const events = parseTwice(await subscribe(fixture, 'anonymous'))
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

test('an event of fronting.ics keeps its UID when the stint ends', async () => {
  const fixture = await createFixture(testApp)
  const before = parseTwice(await subscribe(fixture, 'owner', ''))
  await fixture.do('POST /v2/systems/@me/switches', { members: [] })
  const after = parseTwice(await subscribe(fixture, 'owner', ''))
  expect(before).toHaveLength(1)
  expect(after.map(({ uid }) => uid)).toEqual(before.map(({ uid }) => uid))
})

test('fronting.ics has the same events as the calendar export', async () => {
  const fixture = await createFixture(testApp)
  const { text } = await fixture.ask('GET /v2/systems/@me/export/front-history?format=ics')
  const titlesOf = (calendar: string) =>
    sorted(parseTwice(calendar)).map(({ uid, title }) => ({ uid, title }))
  const span = 'since=2020-01-01'
  expect(titlesOf(await subscribe(fixture, 'owner', span))).toEqual(titlesOf(text))
})

test('fronting.ics keeps special characters in names', async () => {
  const fixture = await createFixture(testApp)
  const display_name = 'Wren; "the, first"\\ 🏮 '.repeat(4).trim()
  await fixture.do('PATCH /v2/members/<wren>', { display_name })
  const titles = parseTwice(await subscribe(fixture, 'anonymous')).map(({ title }) => title)
  expect(titles).toContain(display_name)
})

test('fronting.ics hides private names of members and the system from other callers', async () => {
  const fixture = await createFixture(testApp)
  await fixture.do('PATCH /v2/systems/@me', { privacy: { name_privacy: 'private' } })
  await fixture.do('PATCH /v2/members/<wren>', {
    name: 'Secret Name',
    display_name: 'W',
    privacy: { name_privacy: 'private' },
  })
  const text = await subscribe(fixture, 'anonymous')
  expect(text).not.toContain('Secret Name')
  expect(text).not.toContain('Lantern Hill')
  expect(text).toContain('X-WR-CALNAME:Front history')
  expect(await subscribe(fixture, 'owner')).toContain('X-WR-CALNAME:Lantern Hill')
})
