import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withRawDatabase } from '../../service/transfer/importFixture'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'

const cwd = emptyFolder()

const members = [
  { id: 'uphsrt', name: 'Wren', proxy_tags: [] },
  { id: 'hqkcoz', name: 'Ash \u001b[31m', proxy_tags: [] },
]
const switches = [
  { timestamp: '2024-05-01T10:00:00Z', members: ['uphsrt'] },
  { timestamp: '2024-05-01T16:00:00Z', members: ['uphsrt', 'hqkcoz'] },
  { timestamp: '2024-05-01T18:00:00Z', members: [] },
  { timestamp: '2024-05-01T21:30:00Z', members: ['hqkcoz'] },
]
const file = (name: string, parts: object) =>
  writeFileSync(
    join(cwd, name),
    JSON.stringify({ version: 2, name: 'Lantern Hill', members, groups: [], ...parts }),
  )
file('system.json', { switches })
file('empty.json', { members: [], switches: [] })
const { system } = await runJson<{ system: string }>(['import', 'system.json', '--new'], { cwd })
const { system: empty } = await runJson<{ system: string }>(['import', 'empty.json', '--new'], {
  cwd,
})

describe('front', () => {
  test('front shows who is fronting, since when and for how long', async () => {
    const { code, out } = await run(['front', system, '--zone', 'Asia/Kathmandu'], { cwd })
    expect(code).toBe(0)
    expect(out).toMatch(/^Ash {1,2}\[31m {2}hqkcoz {2}since 2024-05-02 03:15 {2}\d+ d/)
    expect(out).not.toContain('\u001b')
  })

  test('front reports that there are no switches', async () => {
    expect((await run(['front', empty], { cwd })).out).toBe('There are no switches yet.\n')
    expect(await runJson<null>(['front', empty], { cwd })).toBeNull()
  })

  test('front --json prints the switch with the start of each stint', async () => {
    expect(await runJson<object>(['front', system], { cwd })).toMatchObject({
      timestamp: '2024-05-01T21:30:00Z',
      members: [{ id: 'hqkcoz', since: '2024-05-01T21:30:00Z' }],
    })
  })
})

test('front prints status texts without control characters', async () => {
  const statuses = [{ timestamp: '2024-05-01T10:00:00Z', members: ['uphsrt', 'hqkcoz'] }]
  file('statuses.json', { switches: statuses })
  const folder = folderWithDatabase()
  const { system: id } = await runJson<{ system: string }>(
    ['import', join(cwd, 'statuses.json'), '--new'],
    { cwd: folder },
  )
  const [path = ''] = [...new Bun.Glob('**/*.db').scanSync({ cwd: folder, absolute: true })]
  withRawDatabase(path, (database) =>
    database.run(`INSERT INTO front_notes (uuid, system_id, member_id, kind, at, text)
      SELECT 'a', system_id, id, 'status', 1800000000000000, 'at work' || char(27)
      FROM members WHERE name LIKE 'Ash%'`),
  )
  const { out } = await run(['front', id], { cwd: folder })
  expect(out).toMatch(/^Wren .*\nAsh .* at work/)
  expect(out).not.toContain('\u001b')
  expect(await runJson<object>(['front', id], { cwd: folder })).toMatchObject({
    members: [{ status: null }, { status: expect.stringContaining('at work') }],
  })
})

describe('insights', () => {
  const span = ['--since', '2024-05-01', '--until', '2024-05-02T00:00:00Z']

  test('insights prints a table with bars', async () => {
    const { out } = await run(['insights', system, ...span], { cwd })
    expect(out.split('\n').map((line) => line.replace(/ +/g, ' '))).toEqual([
      `Lantern Hill (${system}), 2024-05-01 00:00 to 2024-05-02 00:00 (UTC)`,
      '',
      'MEMBER ID TIME SHARE STINTS LONGEST MEDIAN LAST',
      'Wren uphsrt 8 h 33.3 % ████████████████ 1 8 h 8 h 2024-05-01 18:00',
      'Ash [31m hqkcoz 4 h 30 min 18.8 % █████████ 2 2 h 30 min 2 h 15 min in front',
      '',
      '4 switches; nobody was in front for 3 h 30 min.',
      '',
    ])
  })

  test('insights --json prints the same values as the API', async () => {
    expect(await runJson<object>(['insights', system, ...span], { cwd })).toMatchObject({
      since: '2024-05-01T00:00:00Z',
      nobody: 12600,
      hidden: null,
      members: [
        { member: 'uphsrt', time: 28800 },
        { member: 'hqkcoz', time: 16200, last: null },
      ],
    })
  })

  test('insights reports that nobody was in front', async () => {
    const { out } = await run(['insights', empty], { cwd })
    expect(out).toContain('\n\nNobody was in front.\n\n0 switches.\n')
  })

  const invalid: [flags: string[], complaint: string][] = [
    [['--since', 'yesterday'], '--since: must be a time such as'],
    [['--zone', 'Europe/Atlantis'], '--zone: must be a time zone name'],
    [['--since', '2024-05-02', '--until', '2024-05-01'], 'Since must be before until.'],
  ]

  test.each(invalid)('insights rejects %j: %s', async (flags, complaint) => {
    const { code, err } = await run(['insights', system, ...flags], { cwd })
    expect(code).toBeGreaterThan(0)
    expect(err).toContain(complaint)
  })
})
