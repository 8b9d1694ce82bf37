import { noConnection, type WaitingClient } from '../../../src/service/core/longReads'
import { BATCH_BYTES, listNotes, type NoteFilter } from '../../../src/service/journal/notes'
import { errorOf, outcomeOf } from '../../tools/outcomeOf'
import { insertAll } from '../../tools/rawSql'
import { createFixture, type Fixture, type Json } from '../../tools/scenarios'
import { createRecorder } from '../../tools/statementRecorder'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const { deps } = testApp

const NOTES = 'GET /ext/v1/systems/@me/notes'
const LONG = 100_000

/** Creates notes that are numbered from 1, newest last; every seventh has the word at its end. */
async function withNotes(count: number, length: number): Promise<Fixture> {
  const fixture = await createFixture(testApp)
  const notes = Array.from({ length: count }, (_, index) => {
    const word = (index + 1) % 7 === 0 ? ' März' : ''
    return {
      uuid: crypto.randomUUID(),
      system_id: fixture.owner.id,
      title: `${index + 1}`,
      text: 'x'.repeat(length - word.length) + word,
      date: index,
      created: index,
    }
  })
  await deps.transact({ system: fixture.owner.id }, (tx) => insertAll(tx, 'notes', notes))
  return fixture
}

const titlesOf = (notes: readonly { title?: unknown }[]) => notes.map(({ title }) => String(title))

/** Lists notes, and returns the rows that were read and the statements that read whole texts. */
async function recordList(
  { owner }: Fixture,
  filter: Partial<NoteFilter>,
  more: { limit?: number; client?: WaitingClient; onBegin?: () => void } = {},
) {
  const { statements, loaded, recordStatements } = createRecorder()
  let queued = 0
  const recorded = {
    ...deps,
    db: recordStatements(deps.db),
    snapshot: <T>(work: (db: typeof deps.db) => Promise<T>) =>
      deps.snapshot((db) => work(recordStatements(db))),
    longReads: (<T>(read: never, work: () => Promise<T>) => {
      queued++
      return deps.longReads(read, () => {
        more.onBegin?.()
        return work()
      })
    }) as typeof deps.longReads,
  }
  const listing = listNotes(
    recorded,
    { system: owner.id, platform: null },
    { member: null, search: null, ...filter },
    { limit: more.limit ?? 1000, position: null },
    more.client,
  )
  const outcome = await outcomeOf(listing)
  return {
    outcome,
    queued,
    longest: Math.max(
      0,
      ...(loaded as Json[]).map(({ text }) => (typeof text === 'string' ? text.length : 0)),
    ),
    wholeTexts: statements.filter((one) => /"title", (\S*\.)?"text" from/.test(one)).length,
    excerpts: statements.filter((one) => one.includes('substr(')).length,
  }
}

describe('a list of long notes', () => {
  test('reads only the excerpts of texts', async () => {
    const fixture = await withNotes(3, LONG)
    const { longest, wholeTexts } = await recordList(fixture, {})
    expect([longest, wholeTexts]).toEqual([300, 0])
  })

  test('reads at most a megabyte at once', async () => {
    const fixture = await withNotes(25, LONG)
    const { excerpts, queued } = await recordList(fixture, {})
    expect([excerpts, queued]).toEqual([Math.ceil(25 / Math.floor(BATCH_BYTES / LONG)), 0])
    expect(titlesOf(await fixture.get<Json[]>(NOTES))).toEqual(
      Array.from({ length: 25 }, (_, index) => `${25 - index}`),
    )
  })

  test('cuts excerpts between characters', async () => {
    const fixture = await createFixture(testApp)
    const plants = '🌱'.repeat(200)
    await fixture.do('POST /ext/v1/systems/@me/notes', { text: plants })
    await fixture.do('POST /ext/v1/systems/@me/notes', { text: `x${plants}` })
    const [shifted, even] = await fixture.get<Json[]>(NOTES)
    expect(even?.excerpt).toBe('🌱'.repeat(150))
    expect(shifted?.excerpt).toBe(`x${'🌱'.repeat(149)}`)
  })
})

describe('a search in notes', () => {
  const longNotes = withNotes(45, LONG)
  const shortNotes = withNotes(45, 10)
  const found = ['42', '35', '28', '21', '14', '7']

  test.each([
    ['short', shortNotes],
    ['long', longNotes],
  ])('finds all notes with the word page by page when the texts are %s', async (_, notes) => {
    const fixture = await notes
    const search = `${NOTES}?search=${encodeURIComponent('märz')}&limit=4`
    const first = await fixture.get<Json[]>(search)
    const second = await fixture.get<Json[]>(`${search}&before=${first.at(-1)?.id}`)
    expect([titlesOf(first), titlesOf(second)]).toEqual([found.slice(0, 4), found.slice(4)])
  })

  test('waits in no queue when the texts are short', async () => {
    const fixture = await shortNotes
    expect(await recordList(fixture, { search: 'märz' })).toMatchObject({
      queued: 0,
      wholeTexts: 1,
    })
  })

  test('reads long texts in the queue of long reads, at most a megabyte at once', async () => {
    const fixture = await longNotes
    const wholeTexts = Math.ceil(45 / Math.floor(BATCH_BYTES / LONG))
    expect(await recordList(fixture, { search: 'märz' })).toMatchObject({ queued: 1, wholeTexts })
  })

  test('reads no further than the last note that is wanted', async () => {
    const fixture = await longNotes
    const { wholeTexts } = await recordList(fixture, { search: 'märz' }, { limit: 1 })
    expect(wholeTexts).toBe(1)
  })

  test('ends when its client leaves while it runs', async () => {
    const fixture = await longNotes
    const leaving = new AbortController()
    const { outcome, wholeTexts } = await recordList(
      fixture,
      { search: 'nothing' },
      {
        client: { ...noConnection, signal: leaving.signal },
        onBegin: () => leaving.abort(new Error('left')),
      },
    )
    expect(outcome).toThrow('left')
    expect(wholeTexts).toBe(1)
  })

  test('ends when its client has left, also if the texts are short', async () => {
    const fixture = await shortNotes
    const client = { ...noConnection, signal: AbortSignal.abort(new Error('left')) }
    const { outcome } = await recordList(fixture, { search: 'nothing' }, { client })
    expect(outcome).toThrow('left')
  })

  test('is refused when five others of the system have not ended', async () => {
    const { owner } = await longNotes
    const gate = Promise.withResolvers<void>()
    const gated: typeof deps = {
      ...deps,
      snapshot: async (work) => {
        await gate.promise
        return deps.snapshot(work)
      },
    }
    const search = () =>
      listNotes(
        gated,
        { system: owner.id, platform: null },
        { member: null, search: 'märz' },
        { limit: 1, position: null },
      )
    const searches = Array.from({ length: 6 }, search)
    expect(await Promise.race(searches.map(errorOf))).toMatchObject({ status: 429 })
    gate.resolve()
    const results = await Promise.allSettled(searches)
    const listed = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
    expect(listed.map(titlesOf)).toEqual(Array.from({ length: 5 }, () => ['42']))
  })
})
