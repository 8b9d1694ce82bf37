import { eq } from 'drizzle-orm'
import fc from 'fast-check'
import { systems } from '../../../src/db/tables'
import { fixture } from '../../formats/fixture'
import { createBotFixtures, type Step } from '../../http/bot/botFixture'
import { recordMessageStep } from '../../http/bot/proxyScenarios'
import { drizzleOn } from '../../tools/drizzle'
import { exportSystem } from '../../tools/operatorActions'
import { rounds } from '../../tools/rounds'
import { describe, expect, test } from '../../tools/test'
import { createTestApp, type TestApp } from '../../tools/testApp'
import { anySystem, insertGeneratedSystem } from '../anySystem'
import { findPluralkitProblems } from '../pluralkitRules'
import { findPluralportProblems } from '../pluralportRules'
import { exportText, fixtures, importInto } from './importFixture'

const source = createTestApp()
const destination = createTestApp()
const randomSource = createTestApp()

function deleteAll({ deps }: TestApp): Promise<unknown> {
  return deps.transact('new', async (tx) => drizzleOn(tx).delete(systems).run())
}

/** Exports a system as text, without the time of the export. */
async function exported({ deps }: TestApp, systemId: number): Promise<string> {
  const text = await exportText(deps, systemId)
  return text.replace(/"exported_at":"[^"]*"/, '"exported_at":""')
}

/** Exports a system as a PluralPort file. */
async function pluralportOf({ deps }: TestApp, systemId: number): Promise<string> {
  const choice = { format: 'pluralport', members: null, groups: null } as const
  const { file } = await exportSystem(deps, systemId, choice)
  return new TextDecoder().decode(file)
}

/** Imports into an empty server and exports from it. */
async function importAndExport(text: string) {
  await deleteAll(destination)
  const report = await importInto(destination, 'new', Buffer.from(text))
  const created = await drizzleOn(destination.deps.db).select().from(systems).get()
  return { report, text: await exported(destination, created?.id ?? 0) }
}

describe('export of a system with all settings', async () => {
  const stage = await createBotFixtures(source)()
  const guildSettings = {
    tag: '| here',
    tag_enabled: false,
    avatar_url: 'http://a.example/x.png',
  }
  const at = (hour: string) => `2024-05-01T${hour}:00:00.000001Z`
  const steps: Step[] = [
    [
      'PATCH /v2/systems/@me',
      {
        description: ' spaces \n and "quotes" \u2028 🏮 ',
        tag: '| Lantern',
        pronouns: 'they/them',
        avatar_url: 'http://img.example.org/lantern.webp',
        banner: 'https://img.example.org/banner.webp',
        color: 'f2b632',
        privacy: { description_privacy: 'private', front_history_privacy: 'private' },
      },
    ],
    [
      'PATCH /v2/systems/@me/settings',
      {
        timezone: 'Europe/Oslo',
        latch_timeout: 0,
        show_private_info: false,
        hid_list_padding: 'left',
        proxy_switch: 'add',
        name_format: '{tag} {name}',
        description_templates: ['', 'Likes: '],
      },
    ],
    ['PUT /bot/systems/<system>/accounts/99900000000000001', undefined],
    ['PATCH /bot/accounts/99900000000000001', { autoproxy_enabled: false }],
    [
      'PATCH /v2/members/<wren>',
      {
        display_name: ' ',
        birthday: '0004-02-29',
        avatar_url: 'https://img.example.org/same.png',
        webhook_avatar_url: 'https://img.example.org/same.png',
        banner: 'http://img.example.org/b.png',
        proxy_tags: [{ prefix: 'w:' }, { prefix: ' [', suffix: '] ' }],
        keep_proxy: true,
        autoproxy_enabled: false,
        privacy: { visibility: 'private', metadata_privacy: 'private' },
      },
    ],
    ['POST /v2/members', { name: '   ', description: 'has a blank name' }],
    ['POST /v2/groups', { name: 'Keepers', icon: 'http://img.example.org/i.png', color: '335577' }],
    ['POST /v2/groups', { name: ' ', privacy: { list_privacy: 'private' } }],
    ['POST /v2/members/<heron>/groups/add', ['<keepers>']],
    ['POST /v2/members/<wren>/groups/add', ['<keepers>']],
    [
      'POST /v2/systems/@me/switches',
      { members: ['<heron>', '<finch>', '<wren>'], timestamp: at('08') },
    ],
    ['POST /v2/systems/@me/switches', { members: ['<wren>', '<heron>'], timestamp: at('09') }],
    ['POST /v2/systems/@me/switches', { members: ['<finch>'], timestamp: at('10') }],
    ['POST /v2/systems/@me/switches', { members: [], timestamp: at('11') }],
    ['PATCH /bot/systems/<system>/guilds/<guild>', guildSettings],
    ['PATCH /bot/members/<wren>/guilds/<guild>', { display_name: 'Wren here', keep_proxy: false }],
    ['PATCH /bot/members/<heron>/guilds/<guild>', {}],
    [
      'PATCH /v2/systems/@me/autoproxy?guild_id=<guild>',
      { autoproxy_mode: 'member', autoproxy_member: '<heron>' },
    ],
    ['PATCH /v2/systems/@me/autoproxy?guild_id=1', { autoproxy_mode: 'latch' }],
    ['PATCH /v2/systems/@me/autoproxy?guild_id=2', { autoproxy_mode: 'front' }],
    recordMessageStep('heron', at('12')),
    ['DELETE /v2/members/<finch>', undefined],
  ]
  for (const [line, body] of steps) {
    const created = await stage.do<{ id: string; name?: string } | null>(line, body)
    if (created?.name === 'Keepers') stage.names.keepers = created.id
  }
  const { system: hid = '' } = stage.names
  const row = await drizzleOn(source.deps.db)
    .select()
    .from(systems)
    .where(eq(systems.hid, hid))
    .get()
  const original = { id: row?.id ?? 0, hid, uuid: '', token: '' }
  await importInto(source, original, fixture('simplyplural.json'))
  const text = await exported(source, original.id)

  test('exports the same file from another server after an import there', async () => {
    const { report, text: again } = await importAndExport(text)
    expect(report).toMatchObject({ system: hid, repairs: [], renamed: [], skipped: {} })
    expect(again).toBe(text)
  })

  test('contains members, switches, guild settings and archived rows in the exported file', () => {
    const file = JSON.parse(text)
    const heron = { id: stage.names.heron, message_count: 1, last_message_timestamp: at('12') }
    expect(file.members).toContainEqual(expect.objectContaining(heron))
    expect(file.switches.at(-2).members).toEqual([stage.names.wren, stage.names.heron])
    expect(file.switches.at(-1).members).toEqual([stage.names.heron, stage.names.wren])
    const { accounts, system_guilds, member_guilds, autoproxy, kept, unfit } = file.multitude
    expect(accounts).toContainEqual({ id: '99900000000000001', autoproxy_enabled: false })
    expect(system_guilds).toMatchObject([{ guild_id: stage.names.guild, ...guildSettings }])
    expect([member_guilds.length, autoproxy.length, unfit.length]).toEqual([2, 3, 5])
    expect(Object.keys(kept)).toContain('friends')
  })

  test('changes nothing when an export is imported into its own system', async () => {
    const { members, groups, switches, repairs } = await importInto(
      source,
      original,
      Buffer.from(text),
    )
    for (const { added, changed } of [members, groups, switches])
      expect([added, changed]).toEqual([0, 0])
    expect(repairs).toEqual([])
    expect(await exported(source, original.id)).toBe(text)
  })

  test('exports a file that meets the rules of PluralKit', () => {
    expect(findPluralkitProblems(text)).toEqual([])
  })

  test('exports the same file from another server after an import of a PluralPort file', async () => {
    const pluralport = await pluralportOf(source, original.id)
    expect(findPluralportProblems(JSON.parse(pluralport))).toEqual([])
    const { report, text: again } = await importAndExport(pluralport)
    expect(report).toMatchObject({
      format: 'pluralport',
      system: hid,
      repairs: [],
      renamed: [],
      skipped: {},
    })
    expect(JSON.parse(again)).toEqual(JSON.parse(text))
  })

  test('changes nothing when a PluralPort file is imported into its own system', async () => {
    const pluralport = Buffer.from(await pluralportOf(source, original.id))
    const { members, groups, switches, repairs } = await importInto(source, original, pluralport)
    for (const { added, changed } of [members, groups, switches])
      expect([added, changed]).toEqual([0, 0])
    expect(repairs).toEqual([])
    expect(await exported(source, original.id)).toBe(text)
  })
})

describe('rules of PluralKit', () => {
  const lantern = Buffer.from(fixture('pluralkit.json')).toString()
  const valid = lantern.replace('http:', 'https:').replace('"privacy": null', '"privacy": {}')
  const objections: [objection: string, from: string | RegExp, to: string][] = [
    ['unknown file type', '"switches"', '"switched"'],
    ['accounts: not bare integers', '123456789012345678', '"123456789012345678"'],
    ['system: tag', '| Lantern', '|'.repeat(80)],
    ['system: color', 'F2B632', 'F2B63'],
    ['system: front_privacy', /(?<="front_privacy": )"public"/, '"friends"'],
    ['config.timezone', 'Europe/Oslo', 'Moon/Base'],
    ['config.proxy_switch', '"proxy_switch": "add"', '"proxy_switch": true'],
    ['member ash-cd: id', '"id": "ashcd"', '"id": "ash-cd"'],
    ['member ashcd: name is blank', '"Ash"', '"  "'],
    ['member wrenab: description', 'Keeps the lamps.', 'x'.repeat(1001)],
    ['member wrenab: avatar_url', 'https://img.example.org/wren', 'http://img.example.org/wren'],
    ['member wrenab: birthday', '0004-11-02', '0004-13-02'],
    ['member wrenab: tag too long', '"w:"', `"${'w'.repeat(97)}"`],
    ['group grpef: members', '["wrenab", "ashcd"]', '["wrenab", "gone"]'],
    ['switch 2026-01-01T12:00:00+00:00: timestamp', 'T12:00:00Z', 'T12:00:00+00:00'],
    ['switch 2026-01-01T12:00:00Z: members', '"members": []', '"members": ["gone"]'],
  ]

  test('accepts an export of PluralKit by its own rules', () => {
    expect(findPluralkitProblems(valid)).toEqual([])
  })

  test.each(objections)('rejects a file by the rules of PluralKit: %s', (objection, from, to) => {
    expect(findPluralkitProblems(valid.replace(from, to))).toContain(objection)
  })

  test.each(fixtures)(
    'exports a file that meets the rules of PluralKit after importing %s',
    async (name) => {
      const { system } = await importInto(source, 'new', fixture(name))
      const created = await drizzleOn(source.deps.db)
        .select()
        .from(systems)
        .where(eq(systems.hid, system))
        .get()
      const text = await exported(source, created?.id ?? 0)
      expect(findPluralkitProblems(text)).toEqual([])
      expect((await importAndExport(text)).text).toBe(text)
      const pluralport = await pluralportOf(source, created?.id ?? 0)
      expect(findPluralportProblems(JSON.parse(pluralport))).toEqual([])
      const { report, text: again } = await importAndExport(pluralport)
      expect(report.repairs).toEqual([])
      expect(JSON.parse(again)).toEqual(JSON.parse(text))
    },
  )
})

test('exports the same file from another server for random systems', async () => {
  await fc.assert(
    fc.asyncProperty(anySystem, async (any) => {
      const systemId = await insertGeneratedSystem(randomSource, any)
      const text = await exported(randomSource, systemId)
      const pluralport = await pluralportOf(randomSource, systemId)
      await deleteAll(randomSource)
      const { report, text: again } = await importAndExport(text)
      expect(report.repairs).toEqual([])
      expect(again).toBe(text)
      expect(findPluralkitProblems(text)).toEqual([])
      expect(findPluralportProblems(JSON.parse(pluralport))).toEqual([])
      const converted = await importAndExport(pluralport)
      expect(converted.report.repairs).toEqual([])
      expect(JSON.parse(converted.text)).toEqual(JSON.parse(text))
    }),
    { numRuns: rounds(4) },
  )
})
