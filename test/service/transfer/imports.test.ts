import { join } from 'node:path'
import { run } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { dump, withRawDatabase } from './importFixture'

const pluralkit = (parts: object) => JSON.stringify({ switches: [], ...parts })

describe('import and export commands', () => {
  const cwd = emptyFolder()
  const database = join(cwd, 'data/multitude.db')
  const uuid = '0b6f1d3e-7a54-4c0a-9d5b-3f1f5a0c9e11'
  const account = '123456789012345678'
  const write = (name: string, parts: object) => Bun.write(join(cwd, name), pluralkit(parts))
  const countSystems = () =>
    withRawDatabase(database, (db) => db.query('SELECT 1 FROM systems').all().length)

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
    const systems = countSystems()
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
    expect(countSystems()).toBe(systems + 1)
  })
})
