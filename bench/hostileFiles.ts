/** Files that try to slow down other clients: each reaches or exceeds a limit of imports. */

const MiB = 1024 * 1024
const hid = (number: number) =>
  Array.from({ length: 6 }, (_, at) => 'abcefghjkn'[Math.floor(number / 10 ** at) % 10]).join('')

const pluralkit = (parts: object) => JSON.stringify({ version: 2, switches: [], ...parts })

const createMembers = (count: number, more: (at: number) => object = () => ({})) =>
  Array.from({ length: count }, (_, at) => ({ id: hid(at), name: `Member ${at}`, ...more(at) }))

/** Returns as many rows as fit into this many bytes. */
function fillWith(bytes: number, row: (at: number) => unknown): unknown[] {
  const size = JSON.stringify(row(0)).length + 1
  return Array.from({ length: Math.floor(bytes / size) }, (_, at) => row(at))
}

const keys = (count: number) => Array.from({ length: count }, (_, at) => `"${at}":0`).join()

const tags = (lead: string) => (at: number) => ({
  proxy_tags: Array.from({ length: 100 }, (_, tag) => ({ prefix: `${lead}${at}.${tag}:` })),
})

const groupsOf = (members: (string | undefined)[]) =>
  Array.from({ length: 250 }, (_, at) => ({ id: hid(at), name: `Group ${at}`, members: members }))

const allMembers = Array.from({ length: 1000 }, (_, at) => hid(at))

/** Files in the order of import, by one of two systems; some depend on rows of earlier files. */
export const bombs: [title: string, build: () => string, by?: 'another'][] = [
  ['100,000 accounts', () => pluralkit({ accounts: fillWith(2 * MiB, (at) => String(1e17 + at)) })],
  [
    'guild settings, 16 MiB',
    () =>
      pluralkit({
        multitude: { system_guilds: fillWith(16 * MiB, (at) => ({ guild_id: `${at}` })) },
      }),
  ],
  [
    'autoproxy, 16 MiB',
    () =>
      pluralkit({ multitude: { autoproxy: fillWith(16 * MiB, (at) => ({ guild_id: `${at}` })) } }),
  ],
  ['4,000,000 keys in one object', () => `{"switches":[],"x":{${keys(4_000_000)}}}`],
  [
    '2,000,000 keys',
    () =>
      `{"switches":[],"x":[${Array(20)
        .fill(`{${keys(99_999)}}`)
        .join()}]}`,
  ],
  ['[[[ of 60 MiB', () => '['.repeat(60 * MiB)],
  ['{},{} of 60 MiB', () => `{"switches":[${'{},'.repeat(20 * MiB)}{}]}`],
  ['members of 60 MiB', () => pluralkit({ members: createMembers(1_000_000) })],
  [
    '1,000 members of 60 KiB',
    () => pluralkit({ members: createMembers(1000, () => ({ description: 'x'.repeat(60_000) })) }),
  ],
  ['1,000 members with 100 tags', () => pluralkit({ members: createMembers(1000, tags('a')) })],
  ['the same with other tags', () => pluralkit({ members: createMembers(1000, tags('b')) })],
  [
    '250 groups of 1,000',
    () => pluralkit({ members: createMembers(1000), groups: groupsOf(allMembers) }),
  ],
  [
    '250 empty groups',
    () => pluralkit({ members: createMembers(1000), groups: groupsOf([]) }),
    'another',
  ],
  [
    'the same of 155 each',
    () => pluralkit({ members: createMembers(1000), groups: groupsOf(allMembers.slice(0, 155)) }),
    'another',
  ],
  [
    'the same of 1,000 each',
    () => pluralkit({ members: createMembers(1000), groups: groupsOf(allMembers) }),
    'another',
  ],
  [
    'notes of 30 MiB',
    () =>
      pluralkit({ multitude: { kept: { notes: fillWith(30 * MiB, (at) => ({ n: 1e6 + at })) } } }),
  ],
  ['a note of 60 MiB', () => pluralkit({ multitude: { kept: { notes: ['x'.repeat(60 * MiB)] } } })],
  [
    '100,000 switches',
    () =>
      pluralkit({
        members: createMembers(1000),
        switches: Array.from({ length: 100_000 }, (_, at) => ({
          timestamp: new Date(1.5e12 + at * 1.8e6).toISOString(),
          members: [allMembers[at % 1000], allMembers[(at * 7 + 1) % 1000]],
        })),
      }),
  ],
  [
    'chats of Simply Plural, 60 MiB',
    () =>
      JSON.stringify({
        members: [{ _id: '1', name: 'Wren' }],
        frontStatuses: [],
        chatMessages: fillWith(60 * MiB, (at) => ({
          _id: String(at),
          message: 'said '.repeat(40),
        })),
      }),
  ],
]
