import { eq } from 'drizzle-orm'
import {
  autoproxies,
  groups,
  importArchive,
  memberGuilds,
  members,
  messages,
  pushTargets,
  switches,
  systemGuilds,
  systemSettings,
  systems,
  tokens,
  webhooks,
} from '../../src/db/tables'
import type { Entity, JsonObject } from '../../src/model/core/entity'
import type { Field } from '../../src/model/core/field'
import { levelsForFriends } from '../../src/model/core/privacy'
import { formatInstant } from '../../src/model/core/time'
import { group } from '../../src/model/groups/group'
import { member } from '../../src/model/members/member'
import { memberGuild, systemGuild } from '../../src/model/proxy/guild'
import { settings } from '../../src/model/systems/settings'
import { system } from '../../src/model/systems/system'
import { formatExportPosition } from '../../src/model/transfer/exportPosition'
import { drizzleOn } from '../tools/drizzle'
import { document } from '../tools/openapiDocument'
import { at, createFixture, type Fixture, type Who } from '../tools/scenarios'
import { describe, expect, test } from '../tools/test'
import { createTestApp } from '../tools/testApp'

/*
 * Sends every GET of the API document as an anonymous caller, as another system and with tokens of
 * narrow scopes, for a system in which everything is private and every field holds a secret. Paths and parameters come from the
 * document, so new endpoints are included.
 */

const testApp = createTestApp({ RATE_LIMIT: 'off' })
const GUILD = '333'
/** Friendship in paths, which no caller has. */
const FRIEND = '00000000-0000-4000-8000-000000000000'

interface Secret {
  /** Name for the failure message: "description of the member wren". */
  of: string
  /** Text that shows the secret in a response. */
  trace: string
  /** True if it is public, or replaces a private value, although everything is private. */
  isShown: boolean
  /** Set if the extension API stores it: `journal` for what only `read_journal` and `export` show. */
  ext?: 'journal' | 'other'
}

const secrets: Secret[] = []
/** UUIDs of objects of the extension API that paths and queries name. */
const extIds: Record<string, string> = {}
let planted = 0
const fixture = await plantSecrets()
const lines = Object.entries(document.paths)
  .filter(([, { get }]) => get)
  .flatMap(([path]) => linesOf(path))

describe('responses about a system in which everything is private', () => {
  test('sends every GET of the API document', () => {
    const documented = Object.values(document.paths).filter(({ get }) => get).length
    expect(new Set(lines.map(({ path }) => path)).size).toBe(documented)
    expect(documented).toBeGreaterThan(25)
  })

  test('returns every secret to the owner, so that the other tests can detect it', async () => {
    const texts: string[] = []
    for (const { line } of lines) texts.push(await readResponse(line, 'owner'))
    const all = texts.join('\n')
    const missing = secrets.filter(({ trace }) => !all.includes(trace)).map(({ of }) => of)
    expect(missing).toEqual([])
  })

  for (const [who, caller] of [
    ['anonymous', 'an anonymous caller'],
    ['other', 'another system'],
  ] as const)
    test.each(lines)(`$line reveals no secret to ${caller}`, async ({ path, line }) => {
      const text = await readResponse(line, who)
      const found = secrets
        .filter(({ trace, isShown }) => !isShown && text.includes(trace))
        .map(({ of }) => `GET ${path} reveals the ${of}`)
      expect(found).toEqual([])
      // With a token, @me is the caller's own system.
      if (who === 'other' && !path.replace(/@me.*/, '').includes('{')) return
      // Values that cannot hold a secret, such as flags, are detected by their key.
      expect(ownersKeysIn(text).map((key) => `GET ${path} reveals ${key}`)).toEqual([])
    })
})

/** Scopes of the owner's tokens, and which secrets of the extension API they must not show. */
const scopes: [scope: string, more: JsonObject, isSecret: (secret: Secret) => boolean][] = [
  ['watch', {}, ({ ext }) => ext !== undefined],
  ['watch', { private_members: true }, ({ ext }) => ext !== undefined],
  ['calendar', {}, ({ ext }) => ext !== undefined],
  ['front', {}, ({ ext }) => ext === 'journal'],
]

describe.each(scopes)(
  'responses to a token with scope %s and %j',
  async (scope, more, isSecret) => {
    const body = { name: `${scope} ${JSON.stringify(more)}`, scope, ...more }
    const { token } = await fixture.do<{ token: string }>('POST /v2/systems/@me/tokens', body)
    const hidden = secrets.filter(isSecret)

    test.each(lines)(`$line reveals no journal to scope ${scope}`, async ({ path, line }) => {
      const text = await readWithToken(line, token)
      const found = hidden
        .filter(({ trace }) => text.includes(trace))
        .map(({ of }) => `GET ${path} reveals the ${of}`)
      expect(found).toEqual([])
    })
  },
)

const FRONT_ONLY = 'a friend who sees no members'

/** Callers that are or were friends of the owner, and which secrets they must not see. */
const friends: [
  who: string,
  inBucket: boolean,
  ends: boolean,
  isSecret: (of: Secret) => boolean,
][] = [
  ['a friend in a bucket', true, false, (secret) => !isSharedInBucket(secret)],
  [FRONT_ONLY, true, false, ({ of }) => !namedInFront.some((name) => name.test(of))],
  // Friends see the profile of the system, whatever is shared with them.
  ['a friend in no bucket', false, false, ({ of }) => !profile.test(of)],
  ['a former friend', true, true, () => true],
]
const profile = /^(name|description|pronouns|avatar_url|banner|color) of the system$/

/** Contents of the bucket, by the names of its secrets: wren, finch, keepers and one field. */
const sharedInBucket = [
  profile,
  /^\w+ of the member (wren|finch)$/,
  /^\w+ of the group keepers$/,
  /^(ID|UUID) of finch$/,
  // Finch has been in front since the first switch.
  /^time of the switch first$/,
  /^(about of wren|value of wren|status of finch|name of a field)$/,
]

/** What names finch, who is in front. */
const namedInFront = [
  profile,
  /^(name|display_name|pronouns|avatar_url|color) of the member finch$/,
  /^((ID|UUID|status) of finch|time of the switch first)$/,
]

/** Keys of members and groups that friends do not see either. */
const hiddenOfShared = [member, group].flatMap(({ entries }: Entity) =>
  entries
    .filter(([, { guard, ownerOnly }]) => ownerOnly || levelsForFriends.has(guard ?? ''))
    .map(([key]) => key),
)

function isSharedInBucket({ of }: Secret): boolean {
  const [key = ''] = of.split(' of the ')
  return sharedInBucket.some((name) => name.test(of)) && !hiddenOfShared.includes(key)
}

describe.each(friends)('responses to %s', async (who, inBucket, ends, isSecret) => {
  const { token } = await testApp.makeSystem(who)
  const send = (line: string, body?: unknown) =>
    testApp.ask<{ id: string }>(line, { headers: { authorization: token }, body })
  const bucket = await fixture.do('POST /ext/v1/buckets', { name: who })
  await fixture.do(`PUT /ext/v1/buckets/${bucket.id}/contents`, {
    members: ['<wren>', '<finch>'],
    groups: ['<keepers>'],
    fields: [extIds.field],
  })
  const see_members = who !== FRONT_ONLY
  const share = { see_front: true, see_members, buckets: inBucket ? [bucket.id] : [] }
  const { code } = await fixture.do('POST /ext/v1/friends/invites', { share })
  const { id } = (await send('POST /ext/v1/friends', { code })).json
  if (ends) await fixture.do(`DELETE /ext/v1/friends/${id}`)
  const hidden = secrets.filter((of) => !of.isShown && isSecret(of))
  const own = lines.map(({ path, line }) => ({ path, line: line.replace(FRIEND, id) }))

  test(`shows the description of wren to ${who} only if it is shared`, async () => {
    const { text } = await send(`GET /ext/v1/friends/${id}/members`)
    const isShared = inBucket && !ends && see_members
    expect(text.includes('secret-') && text.includes('about-of-wren')).toBe(isShared)
  })

  test.each(own)(`$path reveals no secret to ${who}`, async ({ path, line }) => {
    const text = await readWithToken(line, token)
    const found = hidden
      .filter(({ trace }) => text.includes(trace))
      .map(({ of }) => `GET ${path} reveals the ${of}`)
    expect(found).toEqual([])
    if (!path.startsWith('/ext/v1/friends/{id}')) return
    expect(ownersKeysIn(text).map((key) => `GET ${path} reveals ${key}`)).toEqual([])
  })
})

/** Fills the tables of the extension API with secrets of wren and finch. */
async function plantExtSecrets(created: Fixture): Promise<void> {
  const secret = (of: string, ext: Secret['ext'] = 'journal') => {
    const trace = `secret-${++planted}-${of.replaceAll(' ', '-')}`
    secrets.push({ of, trace, isShown: false, ext })
    return trace
  }
  const create = async (name: string, path: string, body: JsonObject) => {
    const json = await created.do(`POST /ext/v1/systems/@me/${path}`, body)
    extIds[name] = String(json.id)
    return json
  }
  await create('field', 'fields', { name: secret('name of a field', 'other'), type: 'text' })
  await create('choice', 'fields', {
    name: 'Choice',
    type: 'choice',
    options: [{ name: secret('option of a field', 'other') }],
  })
  await created.do('PATCH /ext/v1/members/<wren>', {
    about: secret('about of wren', 'other'),
    archived: true,
    archived_reason: secret('reason of wren', 'other'),
    fields: { [extIds.field ?? '']: secret('value of wren', 'other') },
  })
  await create('status', 'front/notes', {
    kind: 'status',
    member: '<finch>',
    text: secret('status of finch', 'other'),
  })
  const comment = { kind: 'comment', text: secret('comment'), by: '<wren>' }
  await create('comment', 'front/notes', comment)
  await create('note', 'notes', {
    member: '<wren>',
    title: secret('title of a note'),
    text: secret('text of a note'),
  })
  await create('room', 'rooms', {
    name: secret('name of a room'),
    about: secret('about of a room'),
    category: secret('category of a room'),
  })
  await create('post', 'posts', {
    for: '<wren>',
    title: secret('title of a post'),
    text: secret('text of a post'),
  })
  await create('inRoom', 'posts', { room: extIds.room, text: secret('post in a room') })
  await create('reminder', 'reminders', {
    name: secret('name of a reminder'),
    text: secret('text of a reminder'),
    kind: 'after_switch',
    after: 60,
    on: 'any',
  })
  const { options } = await create('poll', 'polls', {
    name: secret('name of a poll'),
    about: secret('about of a poll'),
    options: [{ name: secret('option of a poll') }],
  })
  await created.do(`PUT /ext/v1/polls/${extIds.poll}/votes/<wren>`, {
    option: (options as { id: string }[])[0]?.id,
    comment: secret('comment of a vote'),
  })
}

/** Fills the owner's system with secrets. Paths name wren, keepers, first and message. */
async function plantSecrets(): Promise<Fixture> {
  const created = await createFixture(testApp)
  await plantExtSecrets(created)
  const { owner, wren, finch, heron, keepers, dreamers, first, latest, message } = created
  const allPrivate = ({ levels }: Entity) =>
    Object.fromEntries(levels.map((level) => [level, 'private']))
  await testApp.deps.transact('new', async (tx) => {
    await drizzleOn(tx)
      .update(systems)
      .set({ ...plant(system, 'system', true), ...allPrivate(system) })
      .where(eq(systems.id, owner.id))
    const set = plant(settings, 'settings', true)
    await drizzleOn(tx)
      .insert(systemSettings)
      .values({ system_id: owner.id, ...set })
      .onConflictDoUpdate({ target: systemSettings.system_id, set })
    for (const [name, row] of Object.entries({ wren, finch, heron })) {
      const set = { ...plant(member, `member ${name}`, row === wren), ...allPrivate(member) }
      await drizzleOn(tx).update(members).set(set).where(eq(members.id, row.id))
    }
    for (const [name, row] of Object.entries({ keepers, dreamers })) {
      const set = { ...plant(group, `group ${name}`, row === keepers), ...allPrivate(group) }
      await drizzleOn(tx).update(groups).set(set).where(eq(groups.id, row.id))
    }
    for (const [name, row] of Object.entries({ first, latest })) {
      const timestamp = nextInstant()
      await drizzleOn(tx).update(switches).set({ timestamp }).where(eq(switches.uuid, row.uuid))
      addSecret(`time of the switch ${name}`, formatInstant(timestamp))
    }
    addSecret('UUID of the switch latest', latest.uuid)
    // Rows that no path names must not appear at all.
    for (const [name, { hid, uuid }] of Object.entries({ finch, heron, dreamers })) {
      addSecret(`ID of ${name}`, `"${hid}"`)
      addSecret(`UUID of ${name}`, uuid)
    }
    await drizzleOn(tx)
      .insert(systemGuilds)
      .values({
        guild_id: GUILD,
        system_id: owner.id,
        ...plant(systemGuild, 'settings of the system in a guild', false),
      })
    await drizzleOn(tx)
      .insert(memberGuilds)
      .values({
        guild_id: GUILD,
        member_id: wren.id,
        ...plant(memberGuild, 'settings of the member wren in a guild', false),
      })
    const latched = nextInstant()
    await drizzleOn(tx).insert(autoproxies).values({
      guild_id: GUILD,
      system_id: owner.id,
      autoproxy_mode: 'latch',
      autoproxy_member: wren.id,
      last_latch_timestamp: latched,
    })
    addSecret('time of the latch', formatInstant(latched))
    const url = 'https://hook.example/secret-address'
    const hook = { url, token: 'secret-signing-token', state: 'disabled' as const, cursor: 0 }
    const reason = 'secret-reason'
    await drizzleOn(tx)
      .insert(webhooks)
      .values({ ...hook, reason, system_id: owner.id })
    addSecret('address of the webhook', url)
    addSecret('reason of the webhook', reason)
    const subscription = {
      endpoint: 'https://push.example/1',
      p256dh: 'B',
      auth: 'a',
      label: 'secret-device',
    }
    const [token] = await drizzleOn(tx)
      .select({ id: tokens.id })
      .from(tokens)
      .where(eq(tokens.system_id, owner.id))
    await drizzleOn(tx)
      .insert(pushTargets)
      .values({
        ...subscription,
        uuid: crypto.randomUUID(),
        system_id: owner.id,
        token_id: token?.id ?? 0,
        endpoint_hash: 'x',
        wants: ['posts'],
      })
    // Address and keys are shown to no caller, which test/http/ext/push.test.ts checks.
    addSecret('label of the push target', subscription.label)
    const content = JSON.stringify({ note: 'secret-note' })
    await drizzleOn(tx)
      .insert(importArchive)
      .values({ system_id: owner.id, collection: 'notes', content, digest: 'x' })
    addSecret('archived note', 'secret-note')
    const timestamp = nextInstant()
    await drizzleOn(tx).update(messages).set({ timestamp }).where(eq(messages.id, message))
  })
  return created
}

function addSecret(of: string, trace: string, isShown = false): void {
  secrets.push({ of, trace, isShown })
}

function nextInstant(): number {
  planted++
  return at('2011-03-05T07:09:11.000013Z') + planted * 86_461_000_017
}

/** Returns a row in which every field holds a secret. Nothing of a row that no path names is public. */
function plant({ entries }: Entity, of: string, isNamed: boolean): JsonObject {
  return Object.fromEntries(
    entries.map(([key, field]) => {
      const { stored, trace } = secretOf(key, field)
      const isFallback = entries.some(([, { fallback }]) => fallback === key)
      const isShown = isNamed && ((!field.guard && !field.ownerOnly) || isFallback)
      if (trace !== null) addSecret(`${key} of the ${of}`, trace, isShown)
      return [key, stored]
    }),
  )
}

/** Returns a unique value and its text in a response; null for kinds with too few values. */
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
        `add a secret for the field kind ${field.kind} (${key}) to secretOf in test/contract/secrets.test.ts`,
      )
  }
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
}

/** Returns the requests for a path: without optional query parameters, and with each of them. */
function linesOf(path: string): { path: string; line: string }[] {
  const named = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => pathValue(path, name))
  const operation = document.paths[path]?.get as { parameters?: Parameter[] } | undefined
  const inQuery = (operation?.parameters ?? []).filter((parameter) => parameter.in === 'query')
  const query = (some: Parameter[]) => some.map(({ name }) => `${name}=${queryValue(path, name)}`)
  const required = query(inQuery.filter((parameter) => parameter.required))
  const variants = [[], ...inQuery.filter((one) => !one.required).map((one) => query([one]))]
  return variants.map((some) => {
    const queries = [...required, ...some].join('&')
    return { path, line: `GET ${named}${queries && `?${queries}`}` }
  })
}

/** Returns the ID of the owner's system for a path parameter. */
function pathValue(path: string, name: string): string {
  const { owner, wren, keepers, first, message, account } = fixture
  const known: Record<string, string> = {
    systemRef: owner.hid,
    memberRef: wren.hid,
    groupRef: keepers.hid,
    switchRef: first.uuid,
    guild_id: GUILD,
    account_id: account,
    message,
    id: message,
    collection: 'notes',
    file: `${'A'.repeat(24)}.png`,
  }
  const [, , , extNoun = ''] = path.split('/')
  const ofExt = { notes: extIds.note, polls: extIds.poll, friends: FRIEND }[extNoun]
  if (path.startsWith('/ext/') && name === 'id' && ofExt) return ofExt
  const old: Record<string, string> = { s: owner.hid, m: wren.hid, a: account, msg: message }
  const [, , noun = ''] = path.split('/')
  const found = path.startsWith('/v1/') && name === 'id' ? old[noun] : known[name]
  if (!found)
    throw new Error(`GET ${path}: add {${name}} to pathValue in test/contract/secrets.test.ts`)
  return found
}

function queryValue(path: string, name: string): string {
  const known: Record<string, string> = {
    with_members: 'true',
    before: '2100-01-01T00:00:00Z',
    since: '2000-01-01T00:00:00Z',
    until: '2100-01-01T00:00:00Z',
    zone: 'Europe/Oslo',
    by: 'month',
    member: fixture.wren.hid,
    limit: '100',
    guild_id: GUILD,
    channel_id: '222',
    account_id: fixture.account,
    part: '1',
    from: formatExportPosition({
      part: 2,
      switches: null,
      lists: { lists: ['notes'], after: null },
    }),
    members: fixture.wren.hid,
    groups: fixture.keepers.hid,
    format: 'csv',
    token: 'nonsense',
    search: 'secret',
    room: extIds.room ?? '',
    for: fixture.wren.hid,
    unread: 'true',
    kind: kindFor(path),
    archived: 'true',
    after: '0',
    with: 'notes',
    app: 'simplyplural',
    collection: 'members',
  }
  const found = known[name]
  if (!found) throw new Error(`add ${name} to queryValue in test/contract/secrets.test.ts`)
  return found
}

/** Returns a value of the parameter `kind`, which differs between the reads. */
function kindFor(path: string): string {
  if (!path.startsWith('/ext/')) return 'members'
  return path.endsWith('/front/notes') ? 'comment' : 'member'
}

/** Returns the text of a response; of a stream only the first chunk. */
function readResponse(line: string, who: Who): Promise<string> {
  const { token } = who === 'owner' ? fixture.owner : fixture.other
  return readWithToken(line, who === 'anonymous' ? null : token)
}

async function readWithToken(line: string, token: string | null): Promise<string> {
  const request = new Request(`http://localhost${line.replace('GET ', '')}`, {
    headers: token === null ? {} : { authorization: token },
  })
  const response = await testApp.app.handle(request, () => '127.0.0.1')
  if (!response.headers.get('content-type')?.startsWith('text/event-stream')) return response.text()
  const reader = response.body?.getReader()
  const first = await reader?.read()
  await reader?.cancel()
  return new TextDecoder().decode(first?.value)
}

/** Lists the keys in a text that only an owner may see, and levels, if they are not null. */
function ownersKeysIn(text: string): string[] {
  const ownerKeys = [system, member, group].flatMap(({ entries, levels }: Entity) => [
    ...levels,
    ...entries.filter(([, { ownerOnly }]) => ownerOnly).map(([key]) => key),
  ])
  return ownerKeys.filter((key) => new RegExp(`"${key}":(?!null)`).test(text))
}
