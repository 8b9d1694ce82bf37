/**
 * How long POST /bot/proxy takes in a system of 1,000 members with 100 tags each, where the tags
 * are as bad as anybody could make them. By hand: `bun bench/proxy.ts`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '../src/app'
import { parseConfig } from '../src/config'
import { createLog } from '../src/log'
import type { ProxyTag } from '../src/model/validation'
import { insertAccount } from '../src/service/accounts'
import { insertMember } from '../src/service/members'
import { patchSettings } from '../src/service/settings'
import { insertSystem } from '../src/service/systems'
import { createBot } from '../test/operatorActions'

const MEMBERS = 1000
const TAGS = 100
const TIMES = 50
const LONGEST = 95

interface Case {
  says: string
  tag: (member: number, at: number) => ProxyTag
  contents: string[]
  isCaseSensitive?: boolean
}

const long = 'a'.repeat(200)
const bits = (n: number, length: number, [zero = '', one = '']: string) =>
  Array.from({ length }, (_, at) => ((n >> at) & 1 ? one : zero)).join('')

const cases: Case[] = [
  {
    says: 'a, aa, aaa … of everybody',
    tag: (_, at) => ({ prefix: 'a'.repeat(1 + (at % LONGEST)), suffix: null }),
    contents: [long, 'aaa hello', 'hello'],
  },
  {
    says: 'one tag of everybody, a hundred times each',
    tag: () => ({ prefix: 'all:', suffix: null }),
    contents: ['all: hello', 'all:'],
  },
  {
    says: 'one prefix with 100,000 suffixes',
    tag: (member, at) => ({ prefix: 'a', suffix: `-${member}.${at}` }),
    contents: ['a hello', 'a hello -999.99', long],
  },
  {
    says: 'one suffix with 100,000 prefixes',
    tag: (member, at) => ({ prefix: `${member}.${at}-`, suffix: 'a' }),
    contents: ['hello a', '999.99- hello a', long],
  },
  {
    says: 'every pair of a… and …a',
    tag: (member, at) => pairOf((member * TAGS + at) % 4560),
    contents: [long, `${long}b`, `b${long}`],
  },
  {
    says: 'a… and …a, never together',
    tag: (member, at) =>
      member % 2
        ? { prefix: 'a'.repeat(1 + (at % 94)), suffix: 'b' }
        : { prefix: 'b', suffix: 'a'.repeat(1 + (at % 94)) },
    contents: [long, 'hello'],
  },
  {
    says: 'a… and …a! between every two endings',
    tag: (member, at) => {
      const { prefix, suffix } = pairOf((member * TAGS + at) % 4560)
      return { prefix, suffix: suffix && `${suffix.slice(1)}!` }
    },
    contents: [long],
  },
  {
    says: '100,000 ways to write one word, which none of them is',
    tag: (member, at) => ({ prefix: bits(member * TAGS + at, 17, 'aA'), suffix: null }),
    contents: ['aaaaaaaaaaaaaaaaA hello', 'AAAAAAAAAAAAAAAAA hello', 'aaaaaaaaaaaaaaaaa hello'],
  },
  {
    says: 'the same in any case',
    tag: (member, at) => ({ prefix: bits(member * TAGS + at, 17, 'aA'), suffix: null }),
    contents: ['AAAAAAAAAAAAAAAAA hello'],
    isCaseSensitive: false,
  },
  {
    says: 'spaces around nothing',
    tag: (member, at) => ({ prefix: `{${bits(member * TAGS + at, 17, ' \t')}`, suffix: '}' }),
    contents: ['{}', '{ }', '{ hello }'],
  },
  {
    says: 'angle brackets around a mention',
    tag: (member, at) => ({ prefix: '<', suffix: `${bits(member * TAGS + at, 17, ' \t')}@1>` }),
    contents: ['<@1>', '<@1> hello <@1>'],
  },
  {
    says: 'a heart and its second half',
    tag: (member, at) => pairOf((member * TAGS + at) % 4560, ' ', ' '),
    contents: [`${' '.repeat(60)}\ufe0f${' '.repeat(60)}`, ' \ufe0f'.repeat(60)],
  },
]

const folder = mkdtempSync(join(tmpdir(), 'multitude-bench-'))
const config = parseConfig({
  DATABASE_URL: `file:${join(folder, 'bench.db')}`,
  DURABILITY: 'normal',
})
const app = createApp(config, createLog('error', 'json', console.error))
const authorization = `Bot ${await createBot(app.deps, 'bench')}`
try {
  for (const [number, one] of cases.entries()) await measure(one, `1000000000000000${number + 10}`)
} finally {
  await app.stop()
  rmSync(folder, { recursive: true })
}

async function measure({ says, tag, contents, isCaseSensitive = true }: Case, account: string) {
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
  console.log(says)
  for (const content of contents) {
    const times: number[] = []
    let action = ''
    for (let n = 0; n < TIMES; n++) {
      const began = performance.now()
      const response = await app.handle(ask(account, content), '127.0.0.1')
      action = ((await response.json()) as { action: string }).action
      times.push(performance.now() - began)
    }
    times.sort((a, b) => a - b)
    const [median = 0, most = 0] = [times[TIMES / 2], times.at(-2)]
    const shown = JSON.stringify(content.length > 30 ? `${content.slice(0, 30)}…` : content)
    console.log(`  ${median.toFixed(2)} ms, at most ${most.toFixed(2)} ms  ${action}  ${shown}`)
  }
}

function ask(account_id: string, content: string): Request {
  const body = { account_id, guild_id: '2', channel_id: '3', content, dry_run: true }
  return new Request('http://localhost/bot/proxy', {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify(body),
  })
}

/** Every prefix and suffix that fit together have a number. */
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
