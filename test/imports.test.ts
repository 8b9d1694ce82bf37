import { join } from 'node:path'
import { run, runJson } from './runInProcess'
import { commandLine, emptyFolder } from './serverProcess'
import { dump, withRawDatabase } from './service/transfer/importFixture'
import { describe, expect, test } from './test'

const { startServer } = await commandLine()

const MiB = 1024 * 1024

/** Far longer than a request should take, and far shorter than any of these files once blocked it. */
const LONG_MS = 3000

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
      for (const query of ['?dry_run=true', '']) {
        let isDone = false
        let answered = 0
        let longest = 0
        const requests = (async () => {
          while (!isDone) {
            const sentAt = performance.now()
            const answers = await Promise.all([
              ask('/health', ''),
              ask('/v2/systems/@me', other.token),
              ask('/v2/systems/@me', other.token, {
                method: 'PATCH',
                body: `{"tag":"${answered}"}`,
              }),
            ])
            longest = Math.max(longest, performance.now() - sentAt)
            expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
            answered += 1
            await Bun.sleep(50)
          }
        })()
        const body = new Blob([file])
        const startedAt = performance.now()
        const { status } = await ask(`/v2/systems/@me/import${query}`, me.token, {
          method: 'POST',
          body,
        })
        isDone = true
        const tookMs = performance.now() - startedAt
        await requests
        expect(status).toBe(expected)
        expect(answered).toBeGreaterThan(0)
        // On a busy machine both take longer.
        expect(longest).toBeLessThan(Math.max(LONG_MS, tookMs / 2))
      }
    },
    180_000,
  )
})

describe('import and export commands', () => {
  const cwd = emptyFolder()
  const database = join(cwd, 'data/multitude.db')
  const uuid = '0b6f1d3e-7a54-4c0a-9d5b-3f1f5a0c9e11'
  const account = '123456789012345678'
  const write = (name: string, parts: object) => Bun.write(join(cwd, name), pluralkit(parts))

  test('links the accounts of a file and lists them, and links none with --no-accounts', async () => {
    await write('accounts.json', { accounts: [account] })
    const none = await run(['import', 'accounts.json', '--new', '--no-accounts'], { cwd })
    expect(none.out).toContain(
      `Chat accounts:\n  ${account}: not linked (link it from that account)`,
    )
    const all = await run(['import', 'accounts.json', '--new'], { cwd })
    expect(all.out).toContain(`Chat accounts:\n  ${account}: linked (is named by the file)`)
    const { out } = await run(['doctor'], { cwd })
    expect(out).toMatch(new RegExp(`Warnings:\n  account ${account} was linked to system`))
  })

  test('creates a second copy of a system only with --yes', async () => {
    await write('same.json', { id: 'exmplz', uuid, name: 'Lantern' })
    expect((await run(['import', 'same.json', '--new'], { cwd })).code).toBe(0)
    const before = dump(database)
    for (const flags of [[], ['--dry-run']]) {
      const { code, out, err } = await run(['import', 'same.json', '--new', ...flags], { cwd })
      expect([code, out]).toEqual([1, ''])
      expect(err).toBe(
        'multitude: Already here as exmplz: use --system exmplz, or --yes for a second copy.\n',
      )
    }
    expect(dump(database)).toEqual(before)
    const copy = await run(['import', 'same.json', '--new', '--yes'], { cwd })
    expect(copy.out).toMatch(
      /New IDs, because the old ones are taken on this server:\n {2}system: exmplz → /,
    )
    expect(withRawDatabase(database, (db) => db.query('SELECT 1 FROM systems').all())).toHaveLength(
      4,
    )
  })

  test('exports a history of more than 100,000 switches as several files', async () => {
    const { system } = await runJson<{ system: string }>(
      ['import', 'same.json', '--new', '--yes'],
      {
        cwd,
      },
    )
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
  }, 60_000)
})
