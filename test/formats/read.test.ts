import fc from 'fast-check'
import {
  type Bundle,
  MAX_FILE_BYTES,
  type ReadOptions,
  UnreadableFile,
} from '../../src/formats/bundle'
import { rejectOversized } from '../../src/formats/json'
import { readFile } from '../../src/formats/read'
import type { JsonObject } from '../../src/model/core/entity'
import { rounds } from '../tools/rounds'
import { describe, expect, test } from '../tools/test'
import { fixture, repairsOf } from './fixture'

const files: [file: string, format: Bundle['format']][] = [
  ['pluralkit.json', 'pluralkit'],
  ['pluralkit-old.json', 'pluralkit'],
  ['pluralkit-nasty.json', 'pluralkit'],
  ['tupperbox.json', 'tupperbox'],
  ['tupperbox-nasty.json', 'tupperbox'],
  ['simplyplural.json', 'simplyplural'],
  ['simplyplural-nasty.json', 'simplyplural'],
  ['simplyplural-cache.json', 'simplyplural'],
  ['simplyplural-api.json', 'simplyplural'],
]

const contents: [text: string, format: Bundle['format']][] = [
  ['{"tuppers":[],"groups":[],"switches":[]}', 'tupperbox'],
  ['{"switches":[]}', 'pluralkit'],
  ['{"switches":null,"members":[{"id":"abcde","name":"Wren"}]}', 'pluralkit'],
  ['{"members":[{"_id":"1","name":"Wren"}]}', 'simplyplural'],
  ['{"members":{"1":{"name":"Wren"}}}', 'simplyplural'],
  ['{"MEMBERS":{"1":{"name":"Wren"}}}', 'simplyplural'],
  ['{"users":[],"frontHistory":[]}', 'simplyplural'],
]

const rejected: [what: string, file: string | Uint8Array, reason: UnreadableFile['reason']][] = [
  ['an empty file', '', 'broken'],
  ['a truncated file', '{"switches":[', 'broken'],
  ['text that is not JSON', '{"switches": SECRET}', 'broken'],
  ['a ZIP archive', new Uint8Array([0x50, 0x4b, 3, 4]), 'broken'],
  ['random bytes', new Uint8Array([0xff, 0xfe, 0x00]), 'broken'],
  ['a list', '[]', 'unknown'],
  ['a string', '"switches"', 'unknown'],
  ['null', 'null', 'unknown'],
  ['an object of another program', '{"private":true,"users":[{"name":"SECRET"}]}', 'unknown'],
  ['members without other collections', '{"members":[{"name":"SECRET"}]}', 'unknown'],
  ['a PluralKit file whose members are not a list', '{"switches":[],"members":"SECRET"}', 'broken'],
  ['a Tupperbox file whose tuppers are not a list', '{"tuppers":"SECRET"}', 'broken'],
]

describe('readFile', () => {
  test.each(files)('recognizes the fixture %s as an export of %s', (name, format) => {
    expect(readFile(fixture(name)).format).toBe(format)
  })

  test.each(contents)('recognizes %s as an export of %s', (text, format) => {
    expect(readFile(text).format).toBe(format)
  })

  test.each(rejected)(
    'rejects %s with an error that does not contain the input',
    (_, file, reason) => {
      const error = rejectionOf(file)
      expect(error.reason).toBe(reason)
      expect(Bun.inspect(error)).not.toContain('SECRET')
      expect(error.cause).toBeUndefined()
    },
  )

  test.each([
    ['whose bytes look like deep nesting', '['.repeat(100)],
    ['whose bytes look like many values', ','.repeat(8_000_001)],
    ['above the limit of a file', '\0'.repeat(MAX_FILE_BYTES)],
  ])('rejects a ZIP archive %s as a ZIP archive', (_, content) => {
    const bytes = Buffer.from(`PK\u0003\u0004pluralport.json${content}`, 'latin1')
    const { reason, message } = rejectionOf(bytes)
    expect([reason, message]).toEqual([
      'broken',
      'This is a ZIP archive: use the file pluralport.json inside it.',
    ])
  })

  test.each([
    ['Plural Star', 'Plural Star'],
    ['Plural Space', 'Plural Space'],
    ['SECRET app', 'another app'],
  ])(
    'rejects a file of %s by the name %s, although it has collections of Simply Plural',
    (app, name) => {
      const file = {
        _meta: { version: '1.2', app, exportedAt: '2026-08-01T00:00:00Z' },
        members: [{ id: 'm1', name: 'Wren', mailboxPassword: 'SECRET' }],
        frontHistory: [{ memberIds: ['m1'], startTime: 1, endTime: 2 }],
      }
      const { reason, message } = rejectionOf(JSON.stringify(file))
      expect([reason, message]).toEqual([
        'unknown',
        `This is a file of ${name}, which this server cannot read.`,
      ])
    },
  )

  test.each(['pluralkit', 'tupperbox', 'simplyplural'])(
    'reads a file of %s with other metadata',
    (format) => {
      const file: JsonObject = JSON.parse(new TextDecoder().decode(fixture(`${format}.json`)))
      for (const _meta of [{ version: 1 }, { app: null }, 'Plural Star', null])
        expect<string>(readFile(JSON.stringify({ _meta, ...file })).format).toBe(format)
    },
  )

  test('skips a byte order mark', () => {
    const text = '\uFEFF{"switches":[]}'
    expect(readFile(text).format).toBe('pluralkit')
    expect(readFile(new TextEncoder().encode(text)).format).toBe('pluralkit')
  })

  test('replaces bytes that are not UTF-8 and reports it', () => {
    const bytes = new TextEncoder().encode('{"switches":[],"name":"Z?rich"}')
    bytes[bytes.indexOf(0x3f)] = 0xfc
    const bundle = readFile(bytes)
    expect(bundle.system.patch.name).toBe('Z\uFFFDrich')
    expect(repairsOf(bundle)).toEqual(['file null encoding → null'])
  })
})

describe('limits of a file', () => {
  test('rejects a file of more than 64 MiB, as text and as bytes', () => {
    expect(rejectionOf('é'.repeat(MAX_FILE_BYTES / 2 + 1)).reason).toBe('tooLarge')
    expect(rejectionOf(new Uint8Array(MAX_FILE_BYTES + 1)).reason).toBe('tooLarge')
  })

  // `pluralkit/write.test.ts` reads a file with as many as allowed.
  test('rejects more than 100,000 switches', () => {
    const file = (count: number) =>
      JSON.stringify({
        members: [{ id: 'wrenab', name: 'Wren' }],
        switches: Array.from({ length: count }, (_, second) => ({
          timestamp: new Date(second * 1000).toISOString(),
          members: second % 2 ? ['wrenab'] : [],
        })),
      })
    expect(rejectionOf(file(100_001)).reason).toBe('tooManySwitches')
  })

  test('accepts 64 levels of nesting and rejects one more before parsing', () => {
    const nested = (levels: number) =>
      `{"switches":[],"name":"[[ \\" {{","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(readFile(nested(64)).system.patch.name).toBe('[[ " {{')
    expect(rejectionOf(nested(65)).message).toContain('64 levels')
    // Not valid JSON, so parsing would report another error.
    expect(rejectionOf('['.repeat(65)).message).toContain('64 levels')
  })

  test('rejects more than 8,000,000 values before parsing', () => {
    const text = `{"switches":[${'0,'.repeat(8_000_000)}`
    expect(rejectionOf(text).reason).toBe('tooLarge')
  })

  const keyed = (keys: number) => `{${Array.from({ length: keys }, (_, at) => `"${at}":0`).join()}}`

  test('accepts 100,000 keys in one object and rejects one more before parsing', () => {
    const file = (keys: number) => `{"switches":[],"x":${keyed(keys)}}`
    expect(readFile(file(100_000)).format).toBe('pluralkit')
    const { reason, message } = rejectionOf(file(100_001))
    expect([reason, message]).toEqual(['tooLarge', expect.stringContaining('100,000 keys')])
  })

  test('accepts 2,000,000 keys in a file and rejects one more before parsing', () => {
    const full = Array<string>(20).fill(keyed(99_999)).join()
    const file = (more: number) => `{"switches":[],"x":[${full},${keyed(more)}]}`
    rejectOversized(new TextEncoder().encode(file(18)))
    const { reason, message } = rejectionOf(file(19))
    expect([reason, message]).toEqual(['tooLarge', expect.stringContaining('2,000,000 keys')])
  })

  const tooMany: [what: string, file: object, reason: UnreadableFile['reason']][] = [
    ['members', { switches: [], members: [{}, {}, {}] }, 'tooManyMembers'],
    ['groups', { switches: [], groups: [{}, {}, {}] }, 'tooManyGroups'],
    ['tuppers', { tuppers: [{}, {}, {}] }, 'tooManyMembers'],
    ['groups of tuppers', { tuppers: [], groups: [{}, {}, {}] }, 'tooManyGroups'],
    [
      'members and custom fronts',
      { members: [{ _id: '1' }, { _id: '2' }], frontStatuses: [{ _id: '3' }] },
      'tooManyMembers',
    ],
    [
      'groups of Simply Plural',
      { frontStatuses: [], groups: [{ _id: '1' }, { _id: '2' }, { _id: '3' }] },
      'tooManyGroups',
    ],
  ]

  test.each(tooMany)('rejects more %s than the limit', (_, file, reason) => {
    const text = JSON.stringify(file)
    expect(rejectionOf(text, { maxMembers: 2, maxGroups: 2 }).reason).toBe(reason)
    expect(readFile(text, { maxMembers: 3, maxGroups: 3 }).format).toBeDefined()
  })

  test('imports the first 50 accounts, and the first 1,000 guild settings and autoproxy rows', () => {
    const guilds = Array.from({ length: 1001 }, (_, at) => ({ guild_id: String(at), member: 'a' }))
    const bundle = readFile(
      JSON.stringify({
        switches: [],
        members: [{ id: 'a', name: 'Ash' }],
        accounts: Array.from({ length: 51 }, (_, at) => at),
        multitude: { system_guilds: guilds, member_guilds: guilds, autoproxy: guilds },
      }),
    )
    const { accounts, systemGuilds, memberGuilds, autoproxy } = bundle
    const lists = [accounts, systemGuilds, memberGuilds, autoproxy]
    expect(lists.map(({ length }) => length)).toEqual([50, 1000, 1000, 1000])
    const reported = bundle.repairs.filter(({ was }) => was === 51 || was === 1001)
    expect(reported).toHaveLength(4)
  })

  test('limits the report of a file that is broken in every row', () => {
    const members = Array.from({ length: 20_000 }, () => ({ name: 'Wren', color: 'no' }))
    const { repairs } = readFile(JSON.stringify({ members, switches: [] }))
    expect(repairs).toHaveLength(5001)
    expect(repairs.at(-1)).toMatchObject({ kind: 'file', field: 'repairs', was: 15_000 })
  })
})

describe('numbers that a double would round', () => {
  const numbers: [json: string, ids: string[]][] = [
    ['[123456789012345678]', ['123456789012345678']],
    ['[ 18446744073709551615 ,1]', ['18446744073709551615', '1']],
    ['[9007199254740993,"9007199254740993"]', ['9007199254740993']],
    ['[999999999999999, 9007199254740991]', ['999999999999999', '9007199254740991']],
    ['[1234567890123456789.5, 12345678901234567e2, -123456789012345678]', []],
  ]

  test.each(numbers)('keeps every digit of the accounts %s', (json, ids) => {
    const { accounts } = readFile(`{"accounts":${json},"switches":[]}`)
    expect(accounts.map(({ id }) => id)).toEqual(ids)
  })

  test('does not change long numbers inside texts', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({
            unit: fc.constantFrom('1', '2', '"', '\\', ',', '[', ':', 'é'),
            maxLength: 60,
          }),
        ),
        (texts) => {
          const members = texts.map((name) => ({ name: `#${name}`, description: `1${name}` }))
          const { members: read } = readFile(
            JSON.stringify({ multitude: {}, accounts: [], members, switches: [] }).replace(
              '"accounts":[]',
              '"accounts":[1234567890123456789]',
            ),
          )
          expect(read.map(({ values }) => values.name)).toEqual(members.map(({ name }) => name))
        },
      ),
    )
  })
})

describe('random files', () => {
  const keys = [
    ...['id', 'uuid', 'name', 'color', 'birthday', 'created', 'privacy', 'proxy_tags', 'prefix'],
    ...['members', 'groups', 'switches', 'tuppers', 'timestamp', 'config', 'accounts', 'brackets'],
    ...['multitude', 'kept', 'autoproxy', 'system_guilds', 'guild_id', 'autoproxy_mode', 'uid'],
    ...['_id', 'content', 'exists', 'users', 'private', 'frontHistory', 'frontStatuses', 'info'],
    ...['member', 'startTime', 'endTime', '_seconds', 'customFields', 'type', 'parent', 'buckets'],
    ...['privacyBuckets', 'chatMessages', 'message', 'iv', 'friends', 'pkId', 'tag', 'group_id'],
    ...['__proto__', 'toString', 'constructor', 'hasOwnProperty'],
  ]
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(null, true, false, '', 'root', 'abcde', 'Wren', 'public', 'Europe/Oslo'),
      fc.constantFrom(1767258000000, '2026-01-01T09:00:00Z', '#ff00ff', '123456789012345678', 7),
      fc.double(),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 8 }),
    ),
  }))
  const row = fc.dictionary(fc.constantFrom(...keys), value)
  const collection = fc.oneof({ arbitrary: fc.array(row), weight: 9 }, value)
  const recognizable = fc
    .tuple(
      fc.constantFrom('switches', 'tuppers', 'frontHistory'),
      fc.dictionary(fc.constantFrom(...keys), collection),
    )
    .map(([collectionName, file]) =>
      JSON.stringify({ ...file, [collectionName]: Reflect.get(file, collectionName) ?? [] }),
    )

  test('parses any file consistently or throws UnreadableFile', () => {
    fc.assert(
      fc.property(
        fc.oneof(recognizable, fc.json(), fc.string()),
        fc.boolean(),
        (text, isPublic) => {
          const bundle = attempt(text, isPublic)
          if (!bundle) return
          const keys = new Set(bundle.members.map(({ key }) => key))
          expect(keys.size).toBe(bundle.members.length)
          for (const { members } of [...bundle.groups, ...bundle.switches])
            for (const key of members) expect(keys).toContain(key)
          expect(JSON.parse(JSON.stringify(bundle)).format).toBe(bundle.format)
        },
      ),
      { numRuns: rounds(150) },
    )
  })

  function attempt(text: string, isPublic: boolean): Bundle | null {
    try {
      return readFile(text, { public: isPublic })
    } catch (error) {
      if (error instanceof UnreadableFile) return null
      throw error
    }
  }
})

function rejectionOf(file: string | Uint8Array, options: ReadOptions = {}): UnreadableFile {
  try {
    readFile(file, options)
  } catch (error) {
    if (error instanceof UnreadableFile) return error
    throw error
  }
  throw new Error('the file was read')
}
