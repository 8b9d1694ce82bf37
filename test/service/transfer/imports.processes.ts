import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { commandLine, emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { until } from '../../tools/until'
import { withRawDatabase } from './importFixture'

const { startServer } = commandLine()

const MiB = 1024 * 1024

/** Returns as many rows as fit into a number of bytes. */
function filled(bytes: number, row: (at: number) => unknown): unknown[] {
  const size = JSON.stringify(row(0)).length + 1
  return Array.from({ length: Math.floor(bytes / size) }, (_, at) => row(at))
}

const keyed = (keys: number) =>
  Object.fromEntries(Array.from({ length: keys }, (_, at) => [`key ${at}`, 0]))

const pluralkit = (parts: object) => JSON.stringify({ switches: [], ...parts })

// One server for all malicious files.
const folder = emptyFolder()
const at = ['--database', `file:${join(folder, 'shared.db')}`]
const server = await startServer(at, { cwd: folder })
const createSystem = () => runJson<{ token: string }>(['system', 'create', ...at], { cwd: folder })

describe('a malicious import file', () => {
  const bombs: [title: string, status: number, build: () => string][] = [
    ['100,000 accounts', 200, () => pluralkit({ accounts: filled(2 * MiB, (at) => 1e15 + at) })],
    [
      '8 MB of autoproxy settings',
      200,
      () =>
        pluralkit({ multitude: { autoproxy: filled(8 * MiB, (at) => ({ guild_id: `${at}` })) } }),
    ],
    ['a million keys', 413, () => pluralkit({ x: keyed(1_000_000) })],
    ['12 MB of nesting', 400, () => '['.repeat(12 * MiB)],
    [
      '12 MB of members',
      400,
      () => pluralkit({ members: filled(12 * MiB, () => ({ name: 'Wren of the Hill' })) }),
    ],
    [
      '1 MB of notes',
      200,
      () =>
        pluralkit({
          multitude: { kept: { notes: filled(MiB, (at) => `a note, number ${at}`) } },
        }),
    ],
  ]

  test.each(bombs)(
    'answers other requests while a file with %s is imported',
    async (_, expected, build) => {
      const me = await createSystem()
      const other = await createSystem()
      const ask = (path: string, token: string, init: RequestInit = {}) =>
        fetch(`${server.address}${path}`, { ...init, headers: { authorization: token } })
      const file = build()
      /** Imports the file, and counts the rounds of other requests that are answered meanwhile. */
      const countAnswered = async (query: string) => {
        let isDone = false
        let answered = 0
        const requests = (async () => {
          while (!isDone) {
            const answers = await Promise.all([
              ask('/health', ''),
              ask('/v2/systems/@me', other.token),
              ask('/v2/systems/@me', other.token, {
                method: 'PATCH',
                body: `{"tag":"${answered}"}`,
              }),
            ])
            expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
            answered += 1
          }
        })()
        const body = new Blob([file])
        const { status } = await ask(`/v2/systems/@me/import${query}`, me.token, {
          method: 'POST',
          body,
        })
        isDone = true
        const answeredBefore = answered
        await requests
        expect(status).toBe(expected)
        return answeredBefore
      }
      // While the file blocks the server, at most one round begins before and one ends after it,
      // each time. This process may be too busy to send three rounds during one import.
      for (const query of ['?dry_run=true', ''])
        await until(
          () => countAnswered(query),
          (answered) => answered > 2,
        )
    },
    180_000,
  )
})

test('exports a history of more than 100,000 switches as several files', async () => {
  const cwd = folderWithDatabase()
  const database = join(cwd, 'data/multitude.db')
  const { id: system } = await runJson<{ id: string }>(['system', 'create'], { cwd })
  withRawDatabase(database, (db) =>
    db
      .query(
        `INSERT INTO switches (uuid, system_id, timestamp)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100001)
         SELECT printf('00000000-0000-4000-9000-%012d', i),
           (SELECT id FROM systems WHERE hid = ?), i * 1000000 FROM n`,
      )
      .run(system),
  )
  const piped = await run(['export', system], { cwd })
  expect([piped.code, piped.err]).toEqual([1, expect.stringContaining('use --out')])
  const { files } = await runJson<{ files: string[] }>(['export', system, '--out', 'all.json'], {
    cwd,
  })
  expect(files).toEqual(['all.json', 'all.json-2'])
  const lengths = await Promise.all(
    files.map(async (name) => (await Bun.file(join(cwd, name)).json()).switches.length),
  )
  expect(lengths).toEqual([100_000, 1])
})
