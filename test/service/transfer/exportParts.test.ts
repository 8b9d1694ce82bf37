import { createYielder } from '../../../src/db/yieldToEventLoop'
import { type ExtRange, exportExt } from '../../../src/service/transfer/export/exportExt'
import type { ListSizes } from '../../../src/service/transfer/export/exportLists'
import { createBaseSystem, useAllExtensions } from '../../tools/allExtensions'
import { execute } from '../../tools/rawSql'
import { createRecorder } from '../../tools/statementRecorder'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestSystem } from '../../tools/testApp'

const { ask, deps, makeSystem } = createTestApp({ RATE_LIMIT: 'off' })

type Row = Record<string, unknown>

/** Inserts rows that are numbered from 1, with SQL for their columns. */
const insertNumbered = (
  { id }: TestSystem,
  table: string,
  size: number,
  columns: Record<string, string>,
) =>
  deps.transact({ system: id }, (tx) =>
    execute(
      tx,
      `insert into ${table} (uuid, system_id, ${Object.keys(columns).join()})
       with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < ${size})
       select '${crypto.randomUUID().slice(0, 24)}' || cast(100000000000 + i as text), ${id},
         ${Object.values(columns).join()} from numbers`,
    ),
  )

/** Creates 60 polls, each with votes of 100 members. */
async function withVotes(): Promise<TestSystem> {
  const system = await makeSystem('Harbour')
  const hid = `'m${system.id}x' || cast(i as text)`
  await insertNumbered(system, 'members', 100, { hid, name: `'Wren'` })
  await insertNumbered(system, 'polls', 60, { name: `'Tea?'`, options: `'[]'`, created: 'i' })
  await deps.transact({ system: system.id }, (tx) =>
    execute(
      tx,
      `insert into poll_votes (poll_id, member_id, option_id, created)
       select polls.id, members.id, 'yes', 1 from polls
       join members on members.system_id = polls.system_id where polls.system_id = ${system.id}`,
    ),
  )
  return system
}

interface Part {
  lists: Map<string, Row[]>
  /** Number of rows that were read for it. */
  loaded: number
  statements: string[]
}

/** Reads all parts one after the other. */
async function readParts(
  { id }: TestSystem,
  sizes: ListSizes,
  onPart: (part: Part) => unknown = () => {},
): Promise<Part[]> {
  const parts: Part[] = []
  for (let range: ExtRange | null = 'first'; range; ) {
    const { loaded, statements, recordStatements } = createRecorder()
    const { ext, next }: Awaited<ReturnType<typeof exportExt>> = await exportExt(
      recordStatements(deps.db),
      id,
      null,
      range,
      createYielder(),
      sizes,
    )
    const lists = [...(ext?.lists ?? [])].map(([name, list]): [string, Row[]] => [
      name,
      list.map((row) => JSON.parse(row)),
    ])
    const part = { lists: new Map(lists), loaded: loaded.length, statements }
    parts.push(part)
    await onPart(part)
    range = next && { at: next }
  }
  return parts
}

const rowsOf = (parts: readonly Part[], name: string) =>
  parts.flatMap(({ lists }) => lists.get(name) ?? [])

/** Each row of a list that may be long is a part of its own. */
const SINGLE: ListSizes = { short: 0, part: 1 }
const WHOLE: ListSizes = { short: Infinity, part: Infinity }

describe('parts of an export with long lists', () => {
  test('read few rows besides those that they contain, however many parts there are', async () => {
    const system = await makeSystem('Harbour')
    await insertNumbered(system, 'posts', 2_000, { text: `'hello'`, written: 'i' })
    const parts = await readParts(system, { short: 0, part: 20_000 })
    expect(parts.length).toBeGreaterThan(15)
    expect(rowsOf(parts, 'posts')).toHaveLength(2_000)
    // Rows are read in pages of 200.
    const isTooMuch = ({ lists, loaded }: Part) => loaded > (lists.get('posts')?.length ?? 0) + 400
    expect(parts.filter(isTooMuch).map(({ loaded }) => loaded)).toEqual([])
  })

  test('read 2,000 votes at once', async () => {
    const system = await withVotes()
    const ofVotes = ({ statements }: Part) =>
      statements.filter((one) => one.includes('from "poll_votes"')).length
    const [whole, ...more] = await readParts(system, WHOLE)
    expect([more.length, whole && ofVotes(whole)]).toEqual([0, 3])
    for (const { votes } of rowsOf(whole ? [whole] : [], 'polls')) expect(votes).toHaveLength(100)
    const parts = await readParts(system, SINGLE)
    expect(parts.map(ofVotes)).toEqual([1, ...Array(60).fill(1)])
  })

  test('contain together what one part contains', async () => {
    const system = await makeSystem('Lantern')
    const send = async <T>(line: string, body?: unknown) => {
      const { status, text, json } = await ask<T>(line, { as: system, body })
      expect(status, `${line}: ${text}`).toBeLessThan(300)
      return json
    }
    await useAllExtensions(send, await createBaseSystem(send))
    for (const name of ['Close', 'Family', 'Work']) await send('POST /ext/v1/buckets', { name })
    const file = {
      members: [
        { _id: 'a', name: 'Ash' },
        { _id: 'b', name: 'Elm' },
      ],
      notes: [],
    }
    await send('POST /v2/systems/@me/import', { ...file, frontStatuses: [] })
    const [whole] = await readParts(system, WHOLE)
    const parts = await readParts(system, SINGLE)
    const names = [...(whole?.lists.keys() ?? [])]
    // In every part, because the rows of the others refer to them.
    const short = ['groups', 'fields', 'rooms']
    for (const name of names) {
      const all = whole?.lists.get(name) ?? []
      expect(all.length, name).toBeGreaterThan(0)
      if (short.includes(name)) for (const { lists } of parts) expect(lists.get(name)).toEqual(all)
      else expect(rowsOf(parts, name)).toEqual(all)
    }
    expect(names.length).toBeGreaterThan(10)
  })

  test('miss no row when the row before them is deleted meanwhile', async () => {
    const system = await makeSystem('Harbour')
    await insertNumbered(system, 'posts', 10, { text: `'hello'`, written: 'i' })
    const parts = await readParts(system, SINGLE, async ({ lists }) => {
      const [post] = lists.get('posts') ?? []
      if (post) await ask(`DELETE /ext/v1/posts/${post.id}`, { as: system })
    })
    expect(rowsOf(parts, 'posts')).toHaveLength(10)
  })
})

describe('the link to the next part', () => {
  test.each([
    ['no JSON', '['],
    ['no list', '{}'],
    ['an unknown list', '[null,["tokens"],null]'],
    ['no list of lists', '[null,"posts",null]'],
    ['a wrong key', '[null,["posts"],[{}]]'],
    ['a wrong time', '["now",["posts"],null]'],
    ['nothing that follows', '[null,null,null]'],
    ['more', '[null,["posts"],null,1]'],
  ])('is refused if it has %s', async (_, from) => {
    const as = await makeSystem()
    const text = Buffer.from(from).toString('base64url')
    const line = `GET /v2/systems/@me/export?part=2&from=${text}`
    const { status, json } = await ask<Row>(line, { as })
    expect([status, json.message]).toEqual([
      400,
      expect.stringContaining('from must be that of the link to a part'),
    ])
  })
})
