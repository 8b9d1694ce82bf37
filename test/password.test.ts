import { describe, expect, test } from 'bun:test'
import { run } from '../src/cli/run'
import { hidePassword, parseSettings } from '../src/config'
import { pathOf } from '../src/db/file'
import { parseAddress } from '../src/db/postgres/address'

/** Addresses as they may be given, and as they are shown. */
const shown: [given: string, shown: string][] = [
  ['file:data/multitude.db', 'file:data/multitude.db'],
  ['file:/home/a:b@c/data.db', 'file:/home/a:b@c/data.db'],
  ['postgres://me@db/multitude', 'postgres://me@db/multitude'],
  ['postgres://me@a:5432,b:5433/multitude', 'postgres://me@a:5432,b:5433/multitude'],
  ['postgres://me@[::1]:5432/x?sslmode=require', 'postgres://me@[::1]:5432/x?sslmode=require'],
  ['postgres://[::1]:5432/x', 'postgres://[::1]:5432/x'],
  ['postgres://me:HUSH@db:5432/multitude', 'postgres://me:********@db:5432/multitude'],
  ['postgresql://me:HUSH@a:1,b:2/x', 'postgresql://me:********@a:1,b:2/x'],
  ['postgres://:HUSH@db/x', 'postgres://:********@db/x'],
]

/** Nonsense with a password in it. */
const nonsense = [
  'postgres://me:HU/SH@db/x',
  'postgres://me:HUSH@HUSH@db/x',
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
  'me:HUSH@db/x',
  "host=db user=me password='HUSH HUSH'",
]

describe('the password of a database', () => {
  test.each(shown)('%s is shown as %s', (given, expected) => {
    expect(hidePassword(given)).toBe(expected)
  })

  test.each(nonsense)('is not shown of %s, by whoever refuses it', (given) => {
    for (const tell of [
      () => hidePassword(given),
      () => parseSettings({ DATABASE_URL: given }),
      () => parseSettings({}, { database: given }),
      () => parseAddress(given),
      () => pathOf(given),
    ])
      expect(said(tell)).not.toContain('HUSH')
  })

  test.each(nonsense)('%s is refused in one line', async (given) => {
    const lines: string[] = []
    const write = process.stderr.write
    process.stderr.write = (text: string | Uint8Array) => lines.push(String(text)) > 0
    try {
      const code = await run(['system', 'list'], { DATABASE_URL: given }, null)
      expect(code).toBeGreaterThan(0)
    } finally {
      process.stderr.write = write
    }
    expect(lines.join('')).toMatch(/^multitude: [^\n]+\n$/)
    expect(lines.join('')).not.toContain('HUSH')
  })
})

function said(tell: () => unknown): string {
  try {
    return String(tell())
  } catch (cause) {
    return (cause as Error).message
  }
}
