import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  type Bundle,
  MAX_FILE_BYTES,
  type ReadOptions,
  UnreadableFile,
} from '../../src/formats/bundle'
import { readFile } from '../../src/formats/read'
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

const refused: [what: string, file: string | Uint8Array, reason: UnreadableFile['reason']][] = [
  ['an empty file', '', 'broken'],
  ['half a file', '{"switches":[', 'broken'],
  ['something that is not JSON', '{"switches": SECRET}', 'broken'],
  ['a ZIP archive', new Uint8Array([0x50, 0x4b, 3, 4]), 'broken'],
  ['random bytes', new Uint8Array([0xff, 0xfe, 0x00]), 'broken'],
  ['a list', '[]', 'unknown'],
  ['a word', '"switches"', 'unknown'],
  ['nothing', 'null', 'unknown'],
  ['an object of somebody else', '{"private":true,"users":[{"name":"SECRET"}]}', 'unknown'],
  ['members without anything else', '{"members":[{"name":"SECRET"}]}', 'unknown'],
  ['a PluralKit file whose members are no list', '{"switches":[],"members":"SECRET"}', 'broken'],
  ['a Tupperbox file whose tuppers are no list', '{"tuppers":"SECRET"}', 'broken'],
]

describe('recognising a file', () => {
  test.each(files)('%s is an export of %s', (name, format) => {
    expect(readFile(fixture(name)).format).toBe(format)
  })

  test.each(contents)('%s is read as %s', (text, format) => {
    expect(readFile(text).format).toBe(format)
  })

  test.each(refused)('%s is refused without quoting it', (_, file, reason) => {
    const error = refusalOf(file)
    expect(error.reason).toBe(reason)
    expect(Bun.inspect(error)).not.toContain('SECRET')
    expect(error.cause).toBeUndefined()
  })

  test('a byte order mark is passed over', () => {
    const text = '\uFEFF{"switches":[]}'
    expect(readFile(text).format).toBe('pluralkit')
    expect(readFile(new TextEncoder().encode(text)).format).toBe('pluralkit')
  })

  test('bytes that are not UTF-8 are replaced and told of', () => {
    const bytes = new TextEncoder().encode('{"switches":[],"name":"Z?rich"}')
    bytes[bytes.indexOf(0x3f)] = 0xfc
    const bundle = readFile(bytes)
    expect(bundle.system.patch.name).toBe('Z\uFFFDrich')
    expect(repairsOf(bundle)).toEqual(['file null encoding → null'])
  })
})

describe('limits of a whole file', () => {
  test('more than 64 MiB are refused, as text and as bytes', () => {
    expect(refusalOf('é'.repeat(MAX_FILE_BYTES / 2 + 1)).reason).toBe('tooLarge')
    expect(refusalOf(new Uint8Array(MAX_FILE_BYTES + 1)).reason).toBe('tooLarge')
  })

  test('100,000 switches are taken, one more is refused', () => {
    const file = (count: number) =>
      JSON.stringify({
        members: [{ id: 'wrenab', name: 'Wren' }],
        switches: Array.from({ length: count }, (_, second) => ({
          timestamp: new Date(second * 1000).toISOString(),
          members: second % 2 ? ['wrenab'] : [],
        })),
      })
    expect(readFile(file(100_000)).switches).toHaveLength(100_000)
    expect(refusalOf(file(100_001)).reason).toBe('tooManySwitches')
  })

  test('64 levels are taken, one more is refused before anything is parsed', () => {
    const nested = (levels: number) =>
      `{"switches":[],"name":"[[ \\" {{","x":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`
    expect(readFile(nested(64)).system.patch.name).toBe('[[ " {{')
    expect(refusalOf(nested(65)).message).toContain('64 levels')
    // What follows is no JSON, and would be told otherwise.
    expect(refusalOf('['.repeat(65)).message).toContain('64 levels')
  })

  test('more values than any life has are refused before anything is parsed', () => {
    const text = `{"switches":[${'0,'.repeat(8_000_000)}`
    expect(refusalOf(text).reason).toBe('tooLarge')
  })

  const keyed = (keys: number) => `{${Array.from({ length: keys }, (_, at) => `"${at}":0`).join()}}`

  test('100,000 keys in one object are accepted, one more is refused before parsing', () => {
    const file = (keys: number) => `{"switches":[],"x":${keyed(keys)}}`
    expect(readFile(file(100_000)).format).toBe('pluralkit')
    const { reason, message } = refusalOf(file(100_001))
    expect([reason, message]).toEqual(['tooLarge', expect.stringContaining('100,000 keys')])
  })

  test('2,000,000 keys in a file are accepted, one more is refused before parsing', () => {
    const full = Array<string>(20).fill(keyed(99_999)).join()
    const file = (more: number) => `{"switches":[],"x":[${full},${keyed(more)}]}`
    expect(readFile(file(18)).format).toBe('pluralkit')
    const { reason, message } = refusalOf(file(19))
    expect([reason, message]).toEqual(['tooLarge', expect.stringContaining('2,000,000 keys')])
  })

  const crowds: [what: string, file: object, reason: UnreadableFile['reason']][] = [
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

  test.each(crowds)('more %s than there is room for are refused', (_, file, reason) => {
    const text = JSON.stringify(file)
    expect(refusalOf(text, { maxMembers: 2, maxGroups: 2 }).reason).toBe(reason)
    expect(readFile(text, { maxMembers: 3, maxGroups: 3 }).format).toBeDefined()
  })

  test('of accounts the first 50 are looked at, of guild settings and autoproxy the first 1,000', () => {
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
    const told = bundle.repairs.filter(({ was }) => was === 51 || was === 1001)
    expect(told).toHaveLength(4)
  })

  test('a file broken in every line does not make an endless report', () => {
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

  test.each(numbers)('accounts %s keep every digit', (json, ids) => {
    const { accounts } = readFile(`{"accounts":${json},"switches":[]}`)
    expect(accounts.map(({ id }) => id)).toEqual(ids)
  })

  test('digits inside texts are left alone', () => {
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

describe('whatever a file holds', () => {
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
  const marked = fc
    .tuple(
      fc.constantFrom('switches', 'tuppers', 'frontHistory'),
      fc.dictionary(fc.constantFrom(...keys), collection),
    )
    .map(([mark, file]) => JSON.stringify({ ...file, [mark]: Reflect.get(file, mark) ?? [] }))

  test('it is read, or refused with the one error there is', () => {
    fc.assert(
      fc.property(fc.oneof(marked, fc.json(), fc.string()), fc.boolean(), (text, isPublic) => {
        const bundle = attempt(text, isPublic)
        if (!bundle) return
        const keys = new Set(bundle.members.map(({ key }) => key))
        expect(keys.size).toBe(bundle.members.length)
        for (const { members } of [...bundle.groups, ...bundle.switches])
          for (const key of members) expect(keys).toContain(key)
        expect(JSON.parse(JSON.stringify(bundle)).format).toBe(bundle.format)
      }),
      { numRuns: 2000 },
    )
  }, 60_000)

  function attempt(text: string, isPublic: boolean): Bundle | null {
    try {
      return readFile(text, { public: isPublic })
    } catch (error) {
      if (error instanceof UnreadableFile) return null
      throw error
    }
  }
})

function refusalOf(file: string | Uint8Array, options: ReadOptions = {}): UnreadableFile {
  try {
    readFile(file, options)
  } catch (error) {
    if (error instanceof UnreadableFile) return error
    throw error
  }
  throw new Error('the file was read')
}
