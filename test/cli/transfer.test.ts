import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReport } from '../../src/service/transfer/importContext'
import { fixture } from '../formats/fixture'
import { commandLine, emptyFolder, NEW_DATABASE, program } from '../serverProcess'
import { dump } from '../service/transfer/importFixture'

const { run, runJson, startServer } = await commandLine()
const cwd = emptyFolder()
const database = join(cwd, 'data/multitude.db')
const FILES = ['pluralkit.json', 'pluralkit-nasty.json', 'tupperbox.json', 'simplyplural.json']
for (const name of FILES) writeFileSync(join(cwd, name), fixture(name))
const lantern = await runJson<ImportReport>(['import', 'pluralkit.json', '--new'], { cwd })

describe('import', () => {
  test('makes a system that keeps its ID, and a token for it', () => {
    expect(lantern).toMatchObject({
      format: 'pluralkit',
      dry_run: false,
      system: 'qvexmp',
      token: expect.stringMatching(/^\S{64}$/),
      members: { added: 2, changed: 0, unchanged: 0, left_out: 0 },
      renamed: [],
    })
  })

  test('tells a person what it did, and the token once', async () => {
    const here = { cwd: emptyFolder() }
    const file = join(cwd, 'pluralkit-nasty.json')
    const { code, out, err } = await run(['import', file, '--new'], here)
    expect([code, err.replace(NEW_DATABASE, '')]).toEqual([0, ''])
    expect(out).toMatch(/^PluralKit → system [a-z]{6}\n\n +added +changed +unchanged +left out\n/)
    expect(out).toMatch(/\nmembers +5 +0 +0 +2\n/)
    expect(out).toContain(
      '\n\nChanged to fit:\n  system 12, name: 404 → "404", a number instead of text\n',
    )
    expect(out).toContain('\n\nValues that could not be taken:\n  ')
    expect(out).toContain('  member Long (AAAAA), color: "red", not a colour\n')
    expect(out).toContain('\n\nRows left out:\n  member, member: not an object (2 rows)\n')
    expect(out).toMatch(/\n\ntoken {2}\S{64}\n\nKeep the token: it is not shown again\.\n$/)
  })

  test('of the same file again changes nothing and says so', async () => {
    const before = dump(database)
    const { code, out } = await run(['import', 'pluralkit.json', '--system', 'qvexmp'], { cwd })
    expect(code).toBe(0)
    expect(out).toMatch(/\nmembers +0 +0 +2 +0\n/)
    expect(out).toContain('\n\nNo member, group or switch changed.')
    expect(out).not.toContain('token')
    expect(dump(database)).toEqual(before)
  })

  test('as a dry run changes nothing and says so', async () => {
    const before = dump(database)
    const [words, json] = await Promise.all([
      run(['import', 'tupperbox.json', '--new', '--dry-run'], { cwd }),
      runJson<ImportReport>(['import', 'simplyplural.json', '--system', 'QVE-XMP', '--dry-run'], {
        cwd,
      }),
    ])
    expect(words.out).toStartWith('Tupperbox → a new system (dry run: nothing was written)\n')
    expect(words.out).not.toContain('token')
    expect(json).toMatchObject({
      dry_run: true,
      system: 'qvexmp',
      members: { added: 1, changed: 2 },
    })
    expect(dump(database)).toEqual(before)
  })

  test('as a dry run makes no database where there is none, and leaves nothing behind', async () => {
    const here = emptyFolder()
    const TMPDIR = emptyFolder()
    const file = join(cwd, 'tupperbox.json')
    const words = ['import', file, '--new', '--dry-run']
    const { code, out, err } = await run(words, { cwd: here, env: { TMPDIR } })
    expect([code, err]).toEqual([0, ''])
    expect(out).toStartWith('Tupperbox → a new system (dry run: nothing was written)\n')
    expect([readdirSync(here), readdirSync(TMPDIR)]).toEqual([[], []])
  })

  test('of a part, and of what friends could see, does what its flags say', async () => {
    const here = { cwd: emptyFolder() }
    const file = join(cwd, 'simplyplural.json')
    const flags = ['--new', '--only', 'members,switches', '--public']
    const { system, ...report } = await runJson<ImportReport>(['import', file, ...flags], here)
    expect(report).toMatchObject({ groups: { left_out: 4 }, switches: { added: 5 }, kept: {} })
    const { members } = await runJson<{ members: { name: string; privacy: object }[] }>(
      ['export', system],
      here,
    )
    expect(members.find(({ name }) => name === 'Wren')?.privacy).toMatchObject({
      visibility: 'public',
    })
  })

  test('beside a running server is seen by it at once', async () => {
    const here = { cwd: emptyFolder() }
    const server = await startServer([], here)
    const file = join(cwd, 'tupperbox.json')
    const { system } = await runJson<ImportReport>(['import', file, '--new'], here)
    const answer = await fetch(`${server.address}/v2/systems/${system}/members`)
    expect(await answer.json()).toMatchObject([{ name: 'Juniper' }, { name: 'Moss' }])
    server.kill('SIGTERM')
    expect((await server.end()).code).toBe(0)
  })

  test('shows a bar on a terminal while it lasts, and clears it', async () => {
    const switches = Array.from({ length: 6000 }, (_, at) => ({
      timestamp: new Date(1.6e12 + at * 1000).toISOString(),
      members: [],
    }))
    const here = emptyFolder()
    writeFileSync(join(here, 'long.json'), JSON.stringify({ switches }))
    let shown = ''
    const decoder = new TextDecoder()
    const child = Bun.spawn([...program, 'import', 'long.json', '--new'], {
      cwd: here,
      env: {},
      terminal: {
        data(_, bytes) {
          shown += decoder.decode(bytes, { stream: true })
        },
      },
    })
    expect(await child.exited).toBe(0)
    expect(shown).toMatch(/\r[█░]{30} \d+ of 6000/)
    expect(shown).toContain('\r\x1b[KPluralKit → system ')
  })
})

describe('export', () => {
  test('writes the same file to standard output as to a file, accounts to the last digit', async () => {
    const [printed, written, json] = await Promise.all([
      run(['export', 'qvexmp'], { cwd }),
      run(['export', 'qvexmp', '--out', 'out.json'], { cwd }),
      run(['export', 'qvexmp', '--json'], { cwd }),
    ])
    expect(written).toEqual({ code: 0, out: 'System qvexmp is written to out.json.\n', err: '' })
    const timeless = (text: string) => text.trim().replace(/"exported_at":"[^"]*"/, '')
    const file = readFileSync(join(cwd, 'out.json'), 'utf8')
    expect(timeless(printed.out)).toBe(timeless(file))
    expect(file).toContain('"accounts":[123456789012345678,987654321098765433]')
    expect(json.out).toContain('"accounts":["123456789012345678","987654321098765433"]')
    expect(JSON.parse(json.out)).toMatchObject({ id: 'qvexmp', members: [{}, {}] })
  })

  test('is taken by an empty server, whose export is the same', async () => {
    const here = { cwd: emptyFolder() }
    const text = async (where: { cwd: string }) => {
      const { out } = await run(['export', 'qvexmp'], where)
      return out.replace(/"exported_at":"[^"]*"/, '')
    }
    await run(['export', 'qvexmp', '--out', join(here.cwd, 'file.json')], { cwd })
    expect((await run(['import', 'file.json', '--new'], here)).code).toBe(0)
    expect(await text(here)).toBe(await text({ cwd }))
  })

  test('of a part holds that part', async () => {
    const one = ['export', 'qvexmp', '--members', 'wrenab', '--groups', 'grpef']
    const file = await runJson<{ members: object[]; groups: object[] }>(one, { cwd })
    expect(file).toMatchObject({
      members: [{ id: 'wrenab' }, { id: 'ashcd' }],
      groups: [{ id: 'grpef' }],
    })
  })

  test('of the front history is a table or a calendar', async () => {
    const history = ['export', 'qvexmp', '--front-history']
    const [csv, ics] = await Promise.all(['csv', 'ics'].map((as) => run([...history, as], { cwd })))
    expect(csv?.out.trim().split(/\r?\n/)).toEqual([
      'start,end,seconds,member_id,member',
      '2026-01-01T09:00:00.123456Z,2026-01-01T12:00:00Z,10799.876544,wrenab,Wren of the Hill',
      '2026-01-01T10:00:00.5Z,2026-01-01T12:00:00Z,7199.5,ashcd,Ash',
    ])
    expect(csv?.out).not.toEndWith('\n\n')
    expect(ics?.out).toMatch(/^BEGIN:VCALENDAR\r\n.*\r\nEND:VCALENDAR\n$/s)
  })
})

describe('what cannot be done', () => {
  const MISUSED = 2
  const FAILED = 1
  writeFileSync(join(cwd, 'other.json'), '{"hello":"SECRET"}')
  writeFileSync(join(cwd, 'broken.json'), '{"switches":["SECRET"')
  const lines: [line: string, code: number, says: RegExp, env?: Record<string, string>][] = [
    ['import', MISUSED, /FILE is missing/],
    ['import pluralkit.json', MISUSED, /either --system or --new is needed/],
    ['import pluralkit.json --new --system qvexmp', MISUSED, /either --system or --new/],
    ['import pluralkit.json --new --only tokens', MISUSED, /--only: there is no tokens/],
    ['import pluralkit.json --system nobody', FAILED, /There is no system nobody\./],
    ['import missing.json --new', FAILED, /missing\.json cannot be read\./],
    ['import . --new', FAILED, /\. cannot be read\./],
    ['import other.json --new', FAILED, /not an export of PluralKit, Tupperbox or Simply Plural/],
    ['import broken.json --new', FAILED, /not valid JSON/],
    ['import pluralkit.json --new', FAILED, /larger than 1024 bytes/, { IMPORT_LIMIT: '1KiB' }],
    ['export', MISUSED, /SYSTEM is missing/],
    ['export qvexmp --front-history xml', MISUSED, /must be csv or ics/],
    [
      'export qvexmp --front-history csv --members wrenab',
      MISUSED,
      /--front-history: is of everyone/,
    ],
    ['export nobody', FAILED, /There is no system nobody\./],
    ['export qvexmp --members wrenab,gone', FAILED, /Member 'gone' not found\./],
    ['export qvexmp --groups gone', FAILED, /Group 'gone' not found\./],
    ['export qvexmp --out missing/out.json', FAILED, /missing\/out\.json cannot be written\./],
  ]

  test('is told in one line with its exit code, and changes nothing', async () => {
    const before = dump(database)
    const ended = lines.map(([line, , , env = {}]) => run(line.split(' '), { cwd, env }))
    for (const [at, { code, out, err }] of (await Promise.all(ended)).entries()) {
      const [line, expected, says] = lines[at] ?? ['', 0, /^$/]
      expect([line, code, out]).toEqual([line, expected, ''])
      expect(err).toMatch(says)
      expect(err).toMatch(/^multitude: [^\n]+\n(usage: [^\n]+\n)?$/)
      expect(err).not.toContain('SECRET')
    }
    expect(dump(database)).toEqual(before)
    expect(existsSync(join(cwd, 'missing'))).toBe(false)
  })
})
