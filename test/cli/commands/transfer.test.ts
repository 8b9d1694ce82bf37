import { Database } from 'bun:sqlite'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ImportReport } from '../../../src/service/transfer/import/importRun'
import { fixture } from '../../formats/fixture'
import { findPluralportProblems } from '../../service/pluralportRules'
import { dump } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { gifOfSize } from '../../tools/pictures'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder, NEW_DATABASE } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'

const cwd = folderWithDatabase()
const database = join(cwd, 'data/multitude.db')
const FILES = ['pluralkit.json', 'pluralkit-nasty.json', 'tupperbox.json', 'simplyplural.json']
for (const name of FILES) writeFileSync(join(cwd, name), fixture(name))
const lantern = await runJson<ImportReport>(['import', 'pluralkit.json', '--new'], { cwd })

/** Opens the database of a folder like a server. */
const openDatabase = (here: { cwd: string }) =>
  createTestApp({ DATABASE_URL: `file:${join(here.cwd, 'data/multitude.db')}` })

describe('import', () => {
  test('import --new creates a system with the ID of the file, and a token', () => {
    expect(lantern).toMatchObject({
      format: 'pluralkit',
      dry_run: false,
      system: 'qvexmp',
      token: expect.stringMatching(/^\S{64}$/),
      members: { added: 2, changed: 0, unchanged: 0, left_out: 0 },
      renamed: [],
    })
  })

  test('import prints a report and the token', async () => {
    const here = { cwd: folderWithDatabase() }
    const file = join(cwd, 'pluralkit-nasty.json')
    const { code, out, err } = await run(['import', file, '--new'], here)
    expect([code, err.replace(NEW_DATABASE, '')]).toEqual([0, ''])
    expect(out).toMatch(/^PluralKit → system [a-z]{6}\n\n +added +changed +unchanged +left out\n/)
    expect(out).toMatch(/\nmembers +5 +0 +0 +2\n/)
    expect(out).toContain(
      '\n\nAdjusted values:\n  system 12, name: 404 → "404", a number instead of text\n',
    )
    expect(out).toContain('\n\nInvalid values left out:\n  ')
    expect(out).toContain('  member Long (AAAAA), color: "red", not a colour\n')
    expect(out).toContain('\n\nRows left out:\n  member, member: not an object (2 rows)\n')
    expect(out).toMatch(/\n\ntoken {2}\S{64}\n\nKeep the token: it is not shown again\.\n$/)
  })

  test('import of the same file again changes nothing and reports it', async () => {
    const before = dump(database)
    const { code, out } = await run(['import', 'pluralkit.json', '--system', 'qvexmp'], { cwd })
    expect(code).toBe(0)
    expect(out).toMatch(/\nmembers +0 +0 +2 +0\n/)
    expect(out).toContain('\n\nNo member, group or switch changed.')
    expect(out).not.toContain('token')
    expect(dump(database)).toEqual(before)
  })

  test('import --dry-run changes nothing and reports it', async () => {
    const before = dump(database)
    const [text, json] = await Promise.all([
      run(['import', 'tupperbox.json', '--new', '--dry-run'], { cwd }),
      runJson<ImportReport>(['import', 'simplyplural.json', '--system', 'QVE-XMP', '--dry-run'], {
        cwd,
      }),
    ])
    expect(text.out).toStartWith('Tupperbox → a new system (dry run: nothing was written)\n')
    expect(text.out).not.toContain('token')
    expect(json).toMatchObject({
      dry_run: true,
      system: 'qvexmp',
      members: { added: 1, changed: 2 },
    })
    expect(dump(database)).toEqual(before)
  })

  test('import --dry-run creates no database and leaves no temporary files', async () => {
    const here = emptyFolder()
    const TMPDIR = emptyFolder()
    const file = join(cwd, 'tupperbox.json')
    const words = ['import', file, '--new', '--dry-run']
    const { code, out, err } = await run(words, { cwd: here, env: { TMPDIR } })
    expect([code, err]).toEqual([0, ''])
    expect(out).toStartWith('Tupperbox → a new system (dry run: nothing was written)\n')
    expect([readdirSync(here), readdirSync(TMPDIR)]).toEqual([[], []])
  })

  test('import applies --only and --public', async () => {
    const here = { cwd: folderWithDatabase() }
    const file = join(cwd, 'simplyplural.json')
    const flags = ['--new', '--only', 'members,switches', '--public']
    const { system, ...report } = await runJson<ImportReport>(['import', file, ...flags], here)
    expect(report).toMatchObject({ groups: { left_out: 2 }, switches: { added: 5 }, kept: {} })
    const { members } = await runJson<{ members: { name: string; privacy: object }[] }>(
      ['export', system],
      here,
    )
    expect(members.find(({ name }) => name === 'Wren')?.privacy).toMatchObject({
      visibility: 'public',
    })
  })

  const levelsOf = async (system: string, here: { cwd: string }) => {
    interface Levels {
      privacy: Record<string, string>
    }
    const exported = await runJson<Levels & { members: Levels[]; groups: Levels[] }>(
      ['export', system],
      here,
    )
    const levels = (all: readonly Levels[]) =>
      new Set(all.flatMap(({ privacy }) => Object.values(privacy)))
    const { members, groups } = exported
    return { system: levels([exported]), members: levels(members), groups: levels(groups) }
  }
  const onlyPrivate = new Set(['private'])

  test('import --new --private makes the system and everything in it private', async () => {
    const here = { cwd: folderWithDatabase() }
    const file = join(cwd, 'pluralkit.json')
    const { system } = await runJson<ImportReport>(['import', file, '--new', '--private'], here)
    expect(await levelsOf(system, here)).toEqual({
      system: onlyPrivate,
      members: onlyPrivate,
      groups: onlyPrivate,
    })
    const { ask } = openDatabase(here)
    for (const list of ['members', 'groups', 'switches', 'fronters']) {
      const { status } = await ask(`GET /v2/systems/${system}/${list}`)
      expect([list, status]).toEqual([list, 403])
    }
  })

  test('a running server serves an imported system at once', async () => {
    const here = { cwd: folderWithDatabase() }
    const { ask } = openDatabase(here)
    const file = join(cwd, 'tupperbox.json')
    const { system } = await runJson<ImportReport>(['import', file, '--new'], here)
    const { json } = await ask(`GET /v2/systems/${system}/members`)
    expect(json).toMatchObject([{ name: 'Juniper' }, { name: 'Moss' }])
  })

  test('import --private keeps the privacy levels of an existing system', async () => {
    const here = { cwd: folderWithDatabase() }
    const { id } = await runJson<{ id: string }>(['system', 'create'], here)
    const file = join(cwd, 'pluralkit.json')
    await runJson<ImportReport>(['import', file, '--system', id, '--private'], here)
    expect(await levelsOf(id, here)).toEqual({
      system: new Set(['public']),
      members: onlyPrivate,
      groups: onlyPrivate,
    })
  })

  test('import refuses --private with --public', async () => {
    const flags = ['--new', '--private', '--public']
    const { code, err } = await run(['import', join(cwd, 'pluralkit.json'), ...flags], {
      cwd: emptyFolder(),
    })
    expect(code).toBe(2)
    expect(err).toContain('--private: cannot be combined with --public')
  })
})

describe('export', () => {
  test('export writes the same to standard output and to a file, with exact account IDs', async () => {
    const [printed, written, json] = await Promise.all([
      run(['export', 'qvexmp'], { cwd }),
      run(['export', 'qvexmp', '--out', 'out.json'], { cwd }),
      run(['export', 'qvexmp', '--json'], { cwd }),
    ])
    expect(written).toEqual({ code: 0, out: 'Exported system qvexmp to out.json.\n', err: '' })
    const withoutTime = (text: string) => text.trim().replace(/"exported_at":"[^"]*"/, '')
    const file = readFileSync(join(cwd, 'out.json'), 'utf8')
    expect(withoutTime(printed.out)).toBe(withoutTime(file))
    expect(file).toContain('"accounts":[123456789012345678,987654321098765433]')
    expect(json.out).toContain('"accounts":["123456789012345678","987654321098765433"]')
    expect(JSON.parse(json.out)).toMatchObject({ id: 'qvexmp', members: [{}, {}] })
  })

  test('an export can be imported into an empty database, whose export is the same', async () => {
    const here = { cwd: folderWithDatabase() }
    const text = async (where: { cwd: string }) => {
      const { out } = await run(['export', 'qvexmp'], where)
      return out.replace(/"exported_at":"[^"]*"/, '')
    }
    await run(['export', 'qvexmp', '--out', join(here.cwd, 'file.json')], { cwd })
    expect((await run(['import', 'file.json', '--new'], here)).code).toBe(0)
    expect(await text(here)).toBe(await text({ cwd }))
  })

  test('export applies --members and --groups', async () => {
    const one = ['export', 'qvexmp', '--members', 'wrenab', '--groups', 'grpef']
    const file = await runJson<{ members: object[]; groups: object[] }>(one, { cwd })
    expect(file).toMatchObject({
      members: [{ id: 'wrenab' }, { id: 'ashcd' }],
      groups: [{ id: 'grpef' }],
    })
  })

  test('export --format pluralport writes a file that import recognizes', async () => {
    const out = join(emptyFolder(), 'pluralport.json')
    const exported = ['export', 'qvexmp', '--format', 'pluralport', '--out', out]
    expect((await run(exported, { cwd })).code).toBe(0)
    expect(findPluralportProblems(JSON.parse(readFileSync(out, 'utf8')))).toEqual([])
    const again = ['import', out, '--system', 'qvexmp']
    expect(await runJson<ImportReport>(again, { cwd })).toMatchObject({
      format: 'pluralport',
      members: { added: 0, changed: 0, unchanged: 2 },
      repairs: [],
    })
    const text = await run([...again, '--dry-run'], { cwd })
    expect(text.out).toStartWith('PluralPort → system qvexmp')
  })

  test('export --pictures writes the pictures into a folder beside the file', async () => {
    const file = `${'A'.repeat(24)}.gif`
    const here = { cwd: folderWithDatabase() }
    await run(['export', 'qvexmp', '--out', join(here.cwd, 'file.json')], { cwd })
    await run(['import', 'file.json', '--new'], here)
    const database = new Database(join(here.cwd, 'data/multitude.db'))
    database.run(
      `insert into pictures (name, system_id, type, size, created, bytes)
       select '${'A'.repeat(24)}', id, 'gif', 6, 1, 'R0lGODlh' from systems`,
    )
    database.close()
    const words = ['export', 'qvexmp', '--out', 'hill.json', '--pictures']
    const { code, out } = await run(words, here)
    expect([code, out]).toEqual([
      0,
      'Exported system qvexmp to hill.json.\nWrote 1 picture to hill-pictures.\n',
    ])
    expect(readFileSync(join(here.cwd, 'hill-pictures', file), 'latin1')).toBe('GIF89a')
    expect((await run(words, here)).code).toBe(1)
    // Pictures that were exported before do not stop the export of a new file.
    rmSync(join(here.cwd, 'hill.json'))
    expect((await run(words, here)).code).toBe(0)
    expect(await runJson<object>([...words, '--force'], here)).toMatchObject({
      pictures: { folder: 'hill-pictures', files: [file] },
    })
    const other = ['export', 'qvexmp', '--format', 'pluralport', '--out', 'port.json', '--pictures']
    expect(await runJson<object>(other, here)).toMatchObject({
      pictures: { folder: 'port-pictures', files: [file] },
    })
    expect(readFileSync(join(here.cwd, 'port-pictures', file), 'latin1')).toBe('GIF89a')
  })

  describe('the pictures of an export', () => {
    const OLD = 'https://old.example/hill'
    const env = { PUBLIC_URL: 'https://new.example' }
    const folder = 'hill-pictures'
    const nameOf = (letter: string) => `${letter.repeat(24)}.gif`
    const urlOf = (letter: string) => `${OLD}/pictures/${nameOf(letter)}`

    /** Exports a system with the pictures A to E, of which several addresses name B, into a folder. */
    const exportPictures = async () => {
      const from = { cwd: folderWithDatabase() }
      await run(['import', join(cwd, 'pluralkit.json'), '--new'], from)
      const stored = new Database(join(from.cwd, 'data/multitude.db'))
      for (const [at, letter] of ['A', 'B', 'C', 'D', 'E'].entries())
        stored.run(
          `insert into pictures (name, system_id, type, size, created, bytes)
           select ?, id, 'gif', ?, 1, ? from systems`,
          [letter.repeat(24), 40 + at, Buffer.from(gifOfSize(40 + at)).toString('base64')],
        )
      stored.run(
        `update systems set avatar_url = '${urlOf('A')}', banner = '${urlOf('B')}?size=64'`,
      )
      stored.run(`update members set avatar_url = '${urlOf('B')}'`)
      stored.run(`update members set banner = '${urlOf('C')}' where name = 'Wren'`)
      stored.run(`update groups set icon = '${urlOf('D')}'`)
      stored.run(`insert into system_guilds (system_id, guild_id, avatar_url)
        select id, 'discord:123456789012345678', '${urlOf('E')}' from systems`)
      stored.run('delete from rendered_systems')
      stored.run('delete from rendered_members')
      stored.run('delete from rendered_groups')
      stored.close()
      await run(['export', 'qvexmp', '--out', 'hill.json', '--pictures'], from)
      return { cwd: from.cwd, there: { cwd: folderWithDatabase(), env } }
    }

    /** Returns the addresses of a system, and the sizes of the pictures by their addresses. */
    const storedIn = (here: { cwd: string }) => {
      const stored = new Database(join(here.cwd, 'data/multitude.db'), { readonly: true })
      const all = <T>(text: string) => stored.query<T, []>(text).all()
      const [system] = all<{ avatar_url: string; banner: string }>('select * from systems')
      const members = all<{ avatar_url: string; banner: string }>(
        'select * from members order by name desc',
      )
      const [group] = all<{ icon: string }>('select * from groups')
      const [guild] = all<{ avatar_url: string }>('select * from system_guilds')
      const pictures = all<{ name: string; size: number; bytes: string }>('select * from pictures')
      stored.close()
      const sizes = new Map(
        pictures.map(({ name, bytes }) => [
          `${env.PUBLIC_URL}/pictures/${name}.gif`,
          Buffer.from(bytes, 'base64').byteLength,
        ]),
      )
      const urls = [system?.avatar_url, system?.banner, guild?.avatar_url, group?.icon]
      const ofMembers = members.flatMap(({ avatar_url, banner }) => [avatar_url, banner])
      return { urls: [...urls, ...ofMembers].map((url) => url ?? null), sizes }
    }

    test('are stored by import --pictures, and its addresses lead here', async () => {
      const { cwd: from, there } = await exportPictures()
      const words = ['import', join(from, 'hill.json'), '--pictures', join(from, folder)]
      const dry = await runJson<ImportReport>([...words, '--new', '--dry-run'], there)
      const report = await runJson<ImportReport>([...words, '--new'], there)
      expect(report.pictures).toEqual({ added: 5, unchanged: 0, left_out: 0 })
      expect([dry.pictures, dry.repairs, report.repairs]).toEqual([report.pictures, [], []])
      const { urls, sizes } = storedIn(there)
      expect(urls.map((url) => url && sizes.get(url))).toEqual([40, 41, 44, 43, 41, 42, 41, null])
      expect(urls.join()).not.toContain('AAAA')
      const again = await runJson<ImportReport>([...words, '--system', 'qvexmp'], there)
      expect(again.pictures).toEqual({ added: 0, unchanged: 5, left_out: 0 })
      expect(again.members).toMatchObject({ added: 0, changed: 0, unchanged: 2 })
      expect(storedIn(there)).toEqual({ urls, sizes })
    })

    test('that are missing or wrong are named, and their addresses stay', async () => {
      const { cwd: from, there } = await exportPictures()
      rmSync(join(from, folder, nameOf('A')))
      writeFileSync(join(from, folder, nameOf('B')), '<svg>')
      writeFileSync(join(from, folder, nameOf('C')), gifOfSize(512 * 1024 + 1))
      const words = ['import', join(from, 'hill.json'), '--new', '--pictures', join(from, folder)]
      const { code, out } = await run(words, there)
      expect(code).toBe(0)
      expect(out).toMatch(/\npictures +2 +0 +0 +3\n/)
      const wrong = 'the picture is no PNG, JPEG, WebP or GIF'
      for (const line of [
        `system Lantern Hill, avatar_url: "${urlOf('A')}", the folder does not have this picture`,
        `system Lantern Hill, banner: "${urlOf('B')}?size=64", ${wrong}`,
        `member Wren, avatar_url: "${urlOf('B')}", ${wrong}`,
        `member Wren, banner: "${urlOf('C')}", the picture is larger than 512 KiB`,
      ])
        expect(out).toContain(`\n  ${line}\n`)
      expect(out).toContain('\n\nValues left as they are:\n')
      const { urls, sizes } = storedIn(there)
      const [avatar, banner, guild, icon, ...ofMembers] = urls
      expect([avatar, banner]).toEqual([urlOf('A'), `${urlOf('B')}?size=64`])
      expect([guild, icon].map((url) => url && sizes.get(url))).toEqual([44, 43])
      expect(ofMembers).toEqual([urlOf('B'), urlOf('C'), urlOf('B'), null])
      expect(sizes.size).toBe(2)
    })

    test.each<[string, object, (from: string) => string, number, string]>([
      ['without PUBLIC_URL', {}, (from) => join(from, folder), 2, 'needs PUBLIC_URL'],
      ['from a folder that does not exist', env, () => 'nowhere', 1, 'nowhere is not a folder'],
      ['from a file', env, (from) => join(from, 'hill.json'), 1, 'is not a folder'],
    ])('are not stored %s, and nothing else is', async (_, given, folderOf, code, problem) => {
      const { cwd: from, there } = await exportPictures()
      const words = ['import', join(from, 'hill.json'), '--new', '--pictures', folderOf(from)]
      const result = await run(words, { ...there, env: { ...given } })
      expect([result.code, result.err]).toEqual([code, expect.stringContaining(problem)])
      expect(storedIn(there)).toEqual({ urls: [null, null, null, null], sizes: new Map() })
    })
  })

  test.each([
    ['without a file', ['--pictures'], '--pictures: needs --out with the name of a file'],
    [
      'of some members',
      ['--pictures', '--out', 'x.json', '--members', 'wrenab'],
      '--pictures: only for the export of a whole system',
    ],
  ])('export --pictures %s is refused', async (_, words, problem) => {
    const { code, err } = await run(['export', 'qvexmp', ...words], { cwd })
    expect([code, err]).toEqual([2, expect.stringContaining(problem)])
  })

  test('export --front-history writes CSV or iCalendar', async () => {
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

describe('failing imports and exports', () => {
  const USAGE_ERROR = 2
  const FAILED = 1
  writeFileSync(join(cwd, 'other.json'), '{"hello":"SECRET"}')
  writeFileSync(join(cwd, 'broken.json'), '{"switches":["SECRET"')
  const lines: [line: string, code: number, complaint: RegExp, env?: Record<string, string>][] = [
    ['import', USAGE_ERROR, /missing argument FILE/],
    ['import pluralkit.json', USAGE_ERROR, /either --system or --new is required/],
    ['import pluralkit.json --new --system qvexmp', USAGE_ERROR, /either --system or --new/],
    ['import pluralkit.json --new --only tokens', USAGE_ERROR, /--only: unknown part tokens/],
    ['import pluralkit.json --system nobody', FAILED, /There is no system nobody\./],
    ['import missing.json --new', FAILED, /missing\.json cannot be read\./],
    ['import . --new', FAILED, /\. cannot be read\./],
    ['import other.json --new', FAILED, /not an export of PluralKit, Tupperbox or Simply Plural/],
    ['import broken.json --new', FAILED, /not valid JSON/],
    ['import pluralkit.json --new', FAILED, /larger than 1024 bytes/, { IMPORT_LIMIT: '1KiB' }],
    ['export', USAGE_ERROR, /missing argument SYSTEM/],
    ['export qvexmp --front-history xml', USAGE_ERROR, /must be csv or ics/],
    ['export qvexmp --format xml', USAGE_ERROR, /must be pluralkit or pluralport/],
    [
      'export qvexmp --front-history csv --format pluralport',
      USAGE_ERROR,
      /cannot be combined with --format/,
    ],
    [
      'export qvexmp --front-history csv --members wrenab',
      USAGE_ERROR,
      /--front-history: cannot be combined/,
    ],
    ['export nobody', FAILED, /There is no system nobody\./],
    ['export qvexmp --members wrenab,gone', FAILED, /Member 'gone' not found\./],
    ['export qvexmp --groups gone', FAILED, /Group 'gone' not found\./],
    ['export qvexmp --out missing/out.json', FAILED, /missing\/out\.json cannot be written\./],
  ]

  test('import and export report a failure in one line and change nothing', async () => {
    const before = dump(database)
    const ended = lines.map(([line, , , env = {}]) => run(line.split(' '), { cwd, env }))
    for (const [at, { code, out, err }] of (await Promise.all(ended)).entries()) {
      const [line, expected, complaint] = lines[at] ?? ['', 0, /^$/]
      expect([line, code, out]).toEqual([line, expected, ''])
      expect(err).toMatch(complaint)
      expect(err).toMatch(/^multitude: [^\n]+\n(usage: [^\n]+\n)?$/)
      expect(err).not.toContain('SECRET')
    }
    expect(dump(database)).toEqual(before)
    expect(existsSync(join(cwd, 'missing'))).toBe(false)
  })
})
