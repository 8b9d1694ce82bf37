import { describe, expect, test } from 'bun:test'
import { eq } from 'drizzle-orm'
import {
  archive,
  autoproxies,
  groups,
  memberGuilds,
  members,
  messages,
  switches,
  systemGuilds,
  systemSettings,
  systems,
  webhooks,
} from '../src/db/tables'
import type { Entity, JsonObject } from '../src/model/entity'
import type { Field } from '../src/model/field'
import { group } from '../src/model/group'
import { memberGuild, systemGuild } from '../src/model/guild'
import { member } from '../src/model/member'
import { settings } from '../src/model/settings'
import { system } from '../src/model/system'
import { formatInstant } from '../src/model/time'
import { document } from './openapiDocument'
import { at, createFixture, type Fixture, type Who } from './scenarios'
import { createTestApp } from './testApp'

/*
 * Every GET of the API document is asked for by those who may not see, of a system in which all is
 * private and every field holds a secret of its own. Paths and parameters come from the document:
 * an endpoint that joins it is walked from its first day.
 */

const place = createTestApp({ RATE_LIMIT: 'off' })
const GUILD = '333'

interface Secret {
  /** What it is, as it is told when it was found: "description of the member wren". */
  of: string
  /** How it looks in an answer. */
  trace: string
  /** Whether it is shown, at its own place or another's, though all is private. */
  isShown: boolean
}

const secrets: Secret[] = []
let planted = 0
const world = await plantSecrets()
const lines = Object.entries(document.paths)
  .filter(([, { get }]) => get)
  .flatMap(([path]) => linesOf(path))

describe('of a system in which all is private', () => {
  test('every GET of the document is asked', () => {
    const documented = Object.values(document.paths).filter(({ get }) => get).length
    expect(new Set(lines.map(({ path }) => path)).size).toBe(documented)
    expect(documented).toBeGreaterThan(25)
  })

  test('every secret is told to its owner, so that it could be found', async () => {
    const told: string[] = []
    for (const { line } of lines) told.push(await readAnswer(line, 'owner'))
    const all = told.join('\n')
    const missing = secrets.filter(({ trace }) => !all.includes(trace)).map(({ of }) => of)
    expect(missing).toEqual([])
  })

  for (const who of ['nobody', 'other'] as const)
    test.each(lines)(`$line tells ${who} no secret`, async ({ path, line }) => {
      const text = await readAnswer(line, who)
      const found = secrets
        .filter(({ trace, isShown }) => !isShown && text.includes(trace))
        .map(({ of }) => `the ${of} is told by GET ${path}`)
      expect(found).toEqual([])
      // With a token, @me is one's own system.
      if (who === 'other' && !path.replace(/@me.*/, '').includes('{')) return
      // What can hold no secret of its own, such as a flag, is known by its key.
      expect(ownersKeysIn(text).map((key) => `${key} is told by GET ${path}`)).toEqual([])
    })
})

/** The owner's whole system; wren, keepers, first and message are what paths name of it. */
async function plantSecrets(): Promise<Fixture> {
  const made = await createFixture(place)
  const { owner, wren, finch, heron, keepers, dreamers, first, latest, message } = made
  const allPrivate = ({ levels }: Entity) =>
    Object.fromEntries(levels.map((level) => [level, 'private']))
  await place.deps.transact('new', async (tx) => {
    await tx
      .update(systems)
      .set({ ...plant(system, 'system', true), ...allPrivate(system) })
      .where(eq(systems.id, owner.id))
    const set = plant(settings, 'settings', true)
    await tx
      .insert(systemSettings)
      .values({ system_id: owner.id, ...set })
      .onConflictDoUpdate({ target: systemSettings.system_id, set })
    for (const [name, row] of Object.entries({ wren, finch, heron })) {
      const set = { ...plant(member, `member ${name}`, row === wren), ...allPrivate(member) }
      await tx.update(members).set(set).where(eq(members.id, row.id))
    }
    for (const [name, row] of Object.entries({ keepers, dreamers })) {
      const set = { ...plant(group, `group ${name}`, row === keepers), ...allPrivate(group) }
      await tx.update(groups).set(set).where(eq(groups.id, row.id))
    }
    for (const [name, row] of Object.entries({ first, latest })) {
      const timestamp = nextInstant()
      await tx.update(switches).set({ timestamp }).where(eq(switches.uuid, row.uuid))
      hide(`time of the switch ${name}`, formatInstant(timestamp))
    }
    hide('UUID of the switch latest', latest.uuid)
    // Whom no path names is not there at all.
    for (const [name, { hid, uuid }] of Object.entries({ finch, heron, dreamers })) {
      hide(`ID of ${name}`, `"${hid}"`)
      hide(`UUID of ${name}`, uuid)
    }
    await tx.insert(systemGuilds).values({
      guild_id: GUILD,
      system_id: owner.id,
      ...plant(systemGuild, 'settings of the system in a guild', false),
    })
    await tx.insert(memberGuilds).values({
      guild_id: GUILD,
      member_id: wren.id,
      ...plant(memberGuild, 'settings of the member wren in a guild', false),
    })
    const latched = nextInstant()
    await tx.insert(autoproxies).values({
      guild_id: GUILD,
      system_id: owner.id,
      autoproxy_mode: 'latch',
      autoproxy_member: wren.id,
      last_latch_timestamp: latched,
    })
    hide('time of the latch', formatInstant(latched))
    const url = 'https://hook.example/secret-address'
    const hook = { url, token: 'secret-signing-token', state: 'disabled' as const, cursor: 0 }
    const reason = 'secret-reason'
    await tx.insert(webhooks).values({ ...hook, reason, system_id: owner.id })
    hide('address of the webhook', url)
    hide('reason of the webhook', reason)
    const content = JSON.stringify({ note: 'secret-note' })
    await tx
      .insert(archive)
      .values({ system_id: owner.id, collection: 'notes', content, digest: 'x' })
    hide('note that an import brought', 'secret-note')
    const said = nextInstant()
    await tx.update(messages).set({ timestamp: said }).where(eq(messages.id, message))
  })
  return made
}

function hide(of: string, trace: string, isShown = false): void {
  secrets.push({ of, trace, isShown })
}

function nextInstant(): number {
  planted++
  return at('2011-03-05T07:09:11.000013Z') + planted * 86_461_000_017
}

/** A row in which every field holds a secret of its own. Of what no path names, nothing is shown. */
function plant({ entries }: Entity, of: string, isNamed: boolean): JsonObject {
  return Object.fromEntries(
    entries.map(([key, field]) => {
      const { stored, trace } = secretOf(key, field)
      const standsIn = entries.some(([, { fallback }]) => fallback === key)
      const isShown = isNamed && ((!field.guard && !field.ownerOnly) || standsIn)
      if (trace !== null) hide(`${key} of the ${of}`, trace, isShown)
      return [key, stored]
    }),
  )
}

/** A value that nothing else has and how it looks in an answer; null where a kind has too few. */
function secretOf(key: string, field: Field): { stored: unknown; trace: string | null } {
  const number = ++planted
  const word = `secret-${number}-${key}`
  switch (field.kind) {
    case 'text':
      return { stored: word, trace: word }
    case 'url':
      return { stored: `https://img.example/${word}`, trace: word }
    case 'color': {
      const color = (0xa00000 + number).toString(16)
      return { stored: color, trace: color }
    }
    case 'date': {
      const date = `${1400 + number}-03-05`
      return { stored: date, trace: date }
    }
    case 'timestamp': {
      const instant = nextInstant()
      return { stored: instant, trace: formatInstant(instant) }
    }
    case 'count':
      return { stored: 7_316_000_000 + number, trace: String(7_316_000_000 + number) }
    case 'timezone':
      return { stored: 'Antarctica/Vostok', trace: 'Antarctica/Vostok' }
    case 'texts':
      return { stored: [word], trace: word }
    case 'proxyTags':
      return { stored: [{ prefix: word, suffix: null }], trace: word }
    case 'flag':
    case 'choice':
      return { stored: field.defaultValue, trace: null }
    default:
      throw new Error(
        `say in secretOf of test/secrets.test.ts how ${field.kind} (${key}) holds a secret`,
      )
  }
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
}

/** What can be asked of a path: its parameters filled in, bare and with each of its queries. */
function linesOf(path: string): { path: string; line: string }[] {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => meaningOf(path, name))
  const operation = document.paths[path]?.get as { parameters?: Parameter[] } | undefined
  const inQuery = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const query = (some: Parameter[]) => some.map(({ name }) => `${name}=${queryValue(name)}`)
  const required = query(inQuery.filter((parameter) => parameter.required))
  const asked = [[], ...inQuery.filter((one) => !one.required).map((one) => query([one]))]
  return asked.map((some) => {
    const queries = [...required, ...some].join('&')
    return { path, line: `GET ${named}${queries && `?${queries}`}` }
  })
}

/** What of the planted system a part of a path means. */
function meaningOf(path: string, name: string): string {
  const { owner, wren, keepers, first, message, account } = world
  const known: Record<string, string> = {
    systemRef: owner.hid,
    memberRef: wren.hid,
    groupRef: keepers.hid,
    switchRef: first.uuid,
    guild_id: GUILD,
    account_id: account,
    message,
  }
  const old: Record<string, string> = { s: owner.hid, m: wren.hid, a: account, msg: message }
  const [, , noun = ''] = path.split('/')
  const found = path.startsWith('/v1/') && name === 'id' ? old[noun] : known[name]
  if (!found)
    throw new Error(`GET ${path}: say in meaningOf of test/secrets.test.ts what {${name}} means`)
  return found
}

function queryValue(name: string): string {
  const known: Record<string, string> = {
    with_members: 'true',
    before: '2100-01-01T00:00:00Z',
    since: '2000-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
    zone: 'Europe/Oslo',
    by: 'month',
    member: world.wren.hid,
    limit: '100',
    guild_id: GUILD,
    channel_id: '222',
    part: '1',
    members: world.wren.hid,
    groups: world.keepers.hid,
    format: 'csv',
    token: 'nonsense',
  }
  const found = known[name]
  if (!found)
    throw new Error(`say in queryValue of test/secrets.test.ts what a query may have for ${name}`)
  return found
}

/** The answer's text; of a stream what comes first. */
async function readAnswer(line: string, who: Who): Promise<string> {
  const { token } = who === 'owner' ? world.owner : world.other
  const request = new Request(`http://localhost${line.replace('GET ', '')}`, {
    headers: who === 'nobody' ? {} : { authorization: token },
  })
  const response = await place.app.handle(request, () => '127.0.0.1')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** Keys that only an owner sees, and levels, where they are not null. */
function ownersKeysIn(text: string): string[] {
  const own = [system, member, group].flatMap(({ entries, levels }: Entity) => [
    ...levels,
    ...entries.filter(([, { ownerOnly }]) => ownerOnly).map(([key]) => key),
  ])
  return own.filter((key) => new RegExp(`"${key}":(?!null)`).test(text))
}
