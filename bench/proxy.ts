/**
 * Measures POST /bot/proxy in a system of 1,000 members with 100 tags each, for the worst kinds of
 * tags. Run it with `bun bench/proxy.ts`.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app/app'
import type { ProxyTag } from '../src/model/core/validation'
import { parseConfig } from '../src/runtime/config/config'
import { createLog } from '../src/runtime/log'
import { insertMember } from '../src/service/members/members'
import { patchSettings } from '../src/service/systems/settings'
import { insertAccount } from '../src/store/access/accountRows'
import { insertSystem } from '../src/store/systems/systemRows'
import { createBot } from '../test/tools/operatorActions'

const MEMBERS = 1000
const TAGS = 100
const TIMES = 50
const LONGEST = 95

interface Case {
  title: string
  tag: (member: number, at: number) => ProxyTag
  contents: string[]
  isCaseSensitive?: boolean
}

const long = 'a'.repeat(200)
const bits = (n: number, length: number, [zero = '', one = '']: string) =>
  Array.from({ length }, (_, at) => ((n >> at) & 1 ? one : zero)).join('')

const cases: Case[] = [
  {
    title: 'all members share a, aa, aaa …',
    tag: (_, at) => ({ prefix: 'a'.repeat(1 + (at % LONGEST)), suffix: null }),
    contents: [long, 'aaa hello', 'hello'],
  },
  {
    title: 'all members have one tag a hundred times',
    tag: () => ({ prefix: 'all:', suffix: null }),
    contents: ['all: hello', 'all:'],
  },
  {
    title: 'one prefix with 100,000 suffixes',
    tag: (member, at) => ({ prefix: 'a', suffix: `-${member}.${at}` }),
    contents: ['a hello', 'a hello -999.99', long],
  },
  {
    title: 'one suffix with 100,000 prefixes',
    tag: (member, at) => ({ prefix: `${member}.${at}-`, suffix: 'a' }),
    contents: ['hello a', '999.99- hello a', long],
  },
  {
    title: 'every pair of a… and …a',
    tag: (member, at) => pairOf((member * TAGS + at) % 4560),
    contents: [long, `${long}b`, `b${long}`],
  },
  {
    title: 'a… and …a, never together',
    tag: (member, at) =>
      member % 2
        ? { prefix: 'a'.repeat(1 + (at % 94)), suffix: 'b' }
        : { prefix: 'b', suffix: 'a'.repeat(1 + (at % 94)) },
    contents: [long, 'hello'],
  },
  {
    title: 'a… and …a!, where the endings alternate',
    tag: (member, at) => {
      const { prefix, suffix } = pairOf((member * TAGS + at) % 4560)
      return { prefix, suffix: suffix && `${suffix.slice(1)}!` }
    },
    contents: [long],
  },
  {
    title: '100,000 spellings of one word, none of which matches',
    tag: (member, at) => ({ prefix: bits(member * TAGS + at, 17, 'aA'), suffix: null }),
    contents: ['aaaaaaaaaaaaaaaaA hello', 'AAAAAAAAAAAAAAAAA hello', 'aaaaaaaaaaaaaaaaa hello'],
  },
  {
    title: 'the same, case-insensitive',
    tag: (member, at) => ({ prefix: bits(member * TAGS + at, 17, 'aA'), suffix: null }),
    contents: ['AAAAAAAAAAAAAAAAA hello'],
    isCaseSensitive: false,
  },
  {
    title: 'spaces without content',
    tag: (member, at) => ({ prefix: `{${bits(member * TAGS + at, 17, ' \t')}`, suffix: '}' }),
    contents: ['{}', '{ }', '{ hello }'],
  },
  {
    title: 'angle brackets around a mention',
    tag: (member, at) => ({ prefix: '<', suffix: `${bits(member * TAGS + at, 17, ' \t')}@1>` }),
    contents: ['<@1>', '<@1> hello <@1>'],
  },
  {
    title: 'a character and its variation selector',
    tag: (member, at) => pairOf((member * TAGS + at) % 4560, ' ', ' '),
    contents: [`${' '.repeat(60)}\ufe0f${' '.repeat(60)}`, ' \ufe0f'.repeat(60)],
  },
]

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const config = parseConfig({
  DATABASE_URL: `file:${join(folder, 'bench.db')}`,
  DURABILITY: 'normal',
})
const app = createApp(config, { log: createLog('error', 'json', console.error) })
const authorization = `Bot ${await createBot(app.deps, 'bench')}`
try {
  for (const [number, testCase] of cases.entries())
    await measure(testCase, `1000000000000000${number + 10}`)
} finally {
  await app.stop()
  rmSync(folder, { recursive: true })
}

async function measure({ title, tag, contents, isCaseSensitive = true }: Case, account: string) {
  const { deps } = app
  const system = await deps.transact('new', async (tx) => {
    const { id } = await insertSystem(tx, {})
    await insertAccount(deps, tx, id, account)
    for (let member = 0; member < MEMBERS; member++) {
      const proxy_tags = Array.from({ length: TAGS }, (_, at) => tag(member, at))
      await insertMember(tx, id, { name: `Number ${member}`, proxy_tags })
    }
    return id
  })
  if (!isCaseSensitive)
    await patchSettings(deps, { system, platform: null }, '@me', {
      case_sensitive_proxy_tags: false,
    })
  console.log(title)
  for (const content of contents) {
    const times: number[] = []
    let action = ''
    for (let n = 0; n < TIMES; n++) {
      const began = performance.now()
      const response = await app.handle(buildRequest(account, content), '127.0.0.1')
      action = ((await response.json()) as { action: string }).action
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [median = 0, worst = 0] = [times[TIMES / 2], times.at(-2)]
    const shown = JSON.stringify(content.length > 30 ? `${content.slice(0, 30)}…` : content)
    console.log(`  ${median.toFixed(2)} ms, at most ${worst.toFixed(2)} ms  ${action}  ${shown}`)
  }
}

function buildRequest(account_id: string, content: string): Request {
  const body = { account_id, guild_id: '2', channel_id: '3', content, dry_run: true }
  return new Request('http://localhost/bot/proxy', {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  })
}

/** Returns the pair of prefix and suffix with this number, among all that fit into LONGEST. */
function pairOf(number: number, before = 'a', after = 'a'): ProxyTag {
  let rest = number + 1
  for (let prefix = 0; prefix <= LONGEST; prefix++) {
    const suffixes = LONGEST - prefix + 1
    if (rest < suffixes)
      return { prefix: before.repeat(prefix) || null, suffix: after.repeat(rest) || null }
    rest -= suffixes
  }
  return { prefix: before, suffix: after }
}
