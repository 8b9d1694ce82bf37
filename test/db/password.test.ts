import { run } from '../../src/cli/run'
import { parseAddress } from '../../src/db/postgres/address'
import { pathOf } from '../../src/db/sqlite/storage'
import { hidePassword, parseSettings } from '../../src/runtime/config/config'
import { describe, expect, test } from '../tools/test'

/** Database addresses, and how they are displayed. */
const displayed: [given: string, displayed: string][] = [
  ['file:data/multitude.db', 'file:data/multitude.db'],
  ['file:/home/a:b@c/data.db', 'file:/home/a:b@c/data.db'],
  ['postgres://me@db/multitude', 'postgres://me@db/multitude'],
  ['postgres://me@a:5432,b:5433/multitude', 'postgres://me@a:5432,b:5433/multitude'],
  ['postgres://me@[::1]:5432/x?sslmode=require', 'postgres://me@[::1]:5432/x?sslmode=require'],
  ['postgres://db/multitude', 'postgres://db/multitude'],
  // An address without a user is refused, and this may be a password without a host.
  ['postgres://[::1]:5432/x', 'postgres://[::1]:********'],
  ['postgres://me:HUSH@db:5432/multitude', 'postgres://me:********@db:5432/multitude'],
  ['postgresql://me:HUSH@a:1,b:2/x', 'postgresql://me:********@a:1,b:2/x'],
  ['postgres://:HUSH@db/x', 'postgres://:********@db/x'],
]

/** Invalid addresses that contain a password. */
const invalid = [
  'postgres://me:HU/SH@db/x',
  'postgres://me:HU/SH@db',
  'postgres://me:HUSH@HUSH@db/x',
  'postgres://me:HUSH@HUSH/x@db/x',
  'postgres://me:HUSH@HUSH/HUSH@db',
  'postgres://me:HUSH@x/x?HUSH@db/x',
  'postgres://me:HUSH@x/x?HUSH=HUSH@db',
  'postgres://me:HUSH@x/x?HUSH/x',
  'postgres://me:HUSH@x/x?HUSH',
  'postgres://me:HUSH?HUSH#HUSH/HUSH%@db/x',
  'postgres://me:12/HUSH',
  'postgres://me:1,HUSH',
  'postgres://me:1?HUSH',
  'postgres://me:HUSH',
  'postgres://me:HUSH/x',
  'postgres://me:HUSH@/x',
  'postgres://me:HUSH@db',
  'postgres://me:HUSH@db:0/x',
  'postgres://me:HUSH@db:http/x',
  'postgres://me:%zzHUSH@db/x',
  'postgres://me:HUSH@db/x?sslmode=maybe',
  'postgres://me:HUSH@db/x?sslmod=require',
  'postgres://me@db/x?password=HUSH',
  'postgres://me@db:5432/x?password=a@HUSH&x=HUSH',
  'postgres//me:HUSH@db/x',
  'postgres:me:HUSH@db/x',
  'postgres+tls://me:HUSH@db/x',
  'mysql://me:HUSH@db/x',
  'mysql://me:HUSH',
  'me:HUSH@db/x',
  "host=db user=me password='HUSH HUSH'",
]

describe('the password of a database', () => {
  test.each(displayed)('displays %s as %s', (given, expected) => {
    expect(hidePassword(given)).toBe(expected)
  })

  test.each(invalid)('reveals no part of the password when %s is refused', (given) => {
    for (const parse of [
      () => hidePassword(given),
      () => parseSettings({ DATABASE_URL: given }),
      () => parseSettings({}, { database: given }),
      () => parseAddress(given),
      () => pathOf(given),
    ])
      expect(outputOf(parse)).not.toMatch(/HU|SH/)
  })

  test.each(invalid)('refuses %s with one line without the password', async (given) => {
    const { code, err } = await runInProcess(['system', 'list'], given)
    expect(code).toBeGreaterThan(0)
    expect(err).toMatch(/^multitude: [^\n]+\n$/)
    expect(err).not.toMatch(/HU|SH/)
  })

  test.each(['postgres://me:HUSH@db/x', 'postgres://me:HU/SH?@db/x', 'postgres://me:HU@SH@db/x'])(
    'hides the password when %s is an unexpected argument',
    async (given) => {
      for (const argv of [['migrate', 'now', given], [given], ['help', given]]) {
        const { code, err } = await runInProcess(argv)
        expect([argv, code]).toEqual([argv, 2])
        expect(err).toContain('postgres://me:********@db/x')
        expect(err).not.toMatch(/HU|SH/)
      }
    },
  )
})

/** Runs a command line in this process. */
async function runInProcess(argv: string[], DATABASE_URL?: string) {
  const lines: string[] = []
  const write = process.stderr.write
  process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0
  try {
    const code = await run(argv, { DATABASE_URL }, null)
    return { code, err: lines.join('') }
  } finally {
    process.stderr.write = write
  }
}

/** Returns the result or the error message as text. */
function outputOf(parse: () => unknown): string {
  try {
    return String(parse())
  } catch (cause) {
    return (cause as Error).message
  }
}
