import { openDeps } from '../src/app/app'
import { operator } from '../src/model/core/privacy'
import { parseConfig } from '../src/runtime/config/config'
import { createSystem } from '../src/service/access/registration'
import { createMember } from '../src/service/members/members'
import { type Control, createControl } from '../test/discord/standIn/controlClient'
import type { FileInput } from '../test/discord/standIn/controlMessages'
import type { StandInOptions } from '../test/discord/standIn/options'
import { atFixedRate } from './measure'

/** A stand-in for Discord in a process of its own. */
export interface StandIn {
  readonly users: Control
  /** Settings of the bot. */
  readonly env: Record<string, string>
  stop(): Promise<void>
}

/** An account with a system, and the channel in which it writes. */
interface Person {
  readonly userId: string
  readonly channelId: string
}

export interface Scene {
  /** Each in a channel of its own. */
  readonly people: readonly Person[]
  /** Token and a member of one of the systems. */
  readonly token: string
  readonly member: string
}

export const EXECUTE = 'POST /webhooks/{webhook_id}/{webhook_token}'
export const DELETE = 'DELETE /channels/{channel_id}/messages/{message_id}'

const GUILDS = 10
const TAG = 'm:'
/** One of this many messages has a proxy tag. */
const PROXIED_SHARE = 4
/** Messages per second. Each of the first messages takes up to five requests with the bot's token. */
const WARM_UP_RATE = 15

export async function startStandIn(options: Partial<StandInOptions> = {}): Promise<StandIn> {
  const given = JSON.stringify({
    isValidating: false,
    identifyWindowMs: 50,
    heartbeatMs: 5000,
    // The bot itself keeps to 50; the clocks of two processes differ.
    globalPerSecond: 100,
    ...options,
  })
  const child = Bun.spawn([process.execPath, 'test/discord/standIn/main.ts', given], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'inherit',
  })
  const { value } = await child.stdout.getReader().read()
  const { api, cdn, token, control } = JSON.parse(Buffer.from(value ?? []).toString())
  return {
    users: createControl(control),
    env: { DISCORD_API: api, DISCORD_CDN: cdn, DISCORD_TOKEN: token },
    async stop() {
      child.kill('SIGTERM')
      await child.exited
    },
  }
}

/** Creates systems with one member and one tag, whose accounts write in ten guilds. */
export async function createScene(
  { users }: StandIn,
  databaseUrl: string,
  systems: number,
): Promise<Scene> {
  const ids: string[] = []
  for (let at = 0; at < systems; at++)
    ids.push((await users.createUser({ username: `user${at}` })).id)
  const channels = Array.from({ length: Math.ceil(systems / GUILDS) }, (_, at) => `channel-${at}`)
  const guilds: Awaited<ReturnType<Control['createGuild']>>[] = []
  for (let at = 0; at < GUILDS; at++)
    guilds.push(await users.createGuild({ memberIds: ids, channels }))
  const { deps, storage } = openDeps(parseConfig({ DATABASE_URL: databaseUrl }))
  let first = { token: '', member: '' }
  for (const account of ids) {
    const draft = { name: 'Lantern' }
    const created = await createSystem(deps, operator, draft, { account, tokenName: 'bench' })
    const viewer = { ...operator, system: created.system.id }
    const proxy_tags = [{ prefix: TAG, suffix: null }]
    const { row } = await createMember(deps, viewer, { name: 'Wren', proxy_tags })
    if (first.token === '') first = { token: created.token, member: row.hid }
  }
  await storage.close()
  const people = ids.map((userId, at) => {
    const name = channels[Math.floor(at / GUILDS)] ?? ''
    return { userId, channelId: guilds[at % GUILDS]?.channels[name] ?? '' }
  })
  return { people, ...first }
}

export async function untilConnected({ users }: StandIn): Promise<void> {
  await users.until(
    () => users.sessions(),
    (sessions) => sessions.some(({ isConnected }) => isConnected),
  )
}

/** Sends a message that is proxied, and returns its ID. */
export async function sendTagged(
  { users }: StandIn,
  person: Person | undefined,
  text: string,
  files: FileInput[] = [],
): Promise<string> {
  if (!person) throw new Error('the scene has no such person')
  return (await users.sendMessage({ ...person, content: TAG + text, files })).id
}

/**
 * Sends two messages with a tag in every channel, so that the bot has loaded all webhooks: the event about
 * the webhook that it creates for the first one makes it look for webhooks again.
 */
export async function warmUp(standIn: StandIn, { people }: Scene): Promise<void> {
  const count = people.length * 2
  await atFixedRate({ seconds: count / WARM_UP_RATE, pauseMs: 1000 / WARM_UP_RATE }, async (at) => {
    await sendTagged(standIn, people[at % people.length], 'hello')
  })
  await untilDeleted(standIn, count)
}

/**
 * Sends messages of all people in turns, a quarter of them with a tag, and waits until all of these
 * are proxied and their originals deleted. Returns the milliseconds from the frame of each proxied
 * message to the request of the webhook.
 */
export async function sendTraffic(
  standIn: StandIn,
  { people }: Scene,
  { seconds, perSecond }: { readonly seconds: number; readonly perSecond: number },
): Promise<number[]> {
  const { users } = standIn
  const before = await countRequests(standIn, DELETE)
  const sent = new Map<string, string>()
  const round = crypto.randomUUID()
  await atFixedRate({ seconds, pauseMs: 1000 / perSecond }, async (at) => {
    const isTagged = at % PROXIED_SHARE === 0
    // Every person uses the tag in turn, and others write meanwhile.
    const turn = Math.floor(at / PROXIED_SHARE)
    const others = (at % PROXIED_SHARE) * Math.floor(people.length / PROXIED_SHARE)
    const person = people[(turn + others) % people.length]
    const text = `message ${at} of ${round}`
    if (isTagged) sent.set(text, await sendTagged(standIn, person, text))
    else if (person) await users.sendMessage({ ...person, content: text })
  })
  await untilDeleted(standIn, before + sent.size)
  const { frames, requests } = await users.times({ route: EXECUTE })
  const written = new Map(frames.map(({ messageId, writtenAt }) => [messageId, writtenAt]))
  const latencies = requests.flatMap(({ content, receivedAt }) => {
    const writtenAt = written.get(sent.get(content) ?? '')
    return writtenAt === undefined ? [] : [receivedAt - writtenAt]
  })
  if (latencies.length !== sent.size)
    throw new Error(`${sent.size} messages with a tag, ${latencies.length} webhook requests`)
  return latencies
}

async function countRequests({ users }: StandIn, route: string): Promise<number> {
  return (await users.times({ route })).requests.length
}

/** Waits for this number of deleted originals. */
async function untilDeleted(standIn: StandIn, count: number): Promise<void> {
  const deadline = performance.now() + 60_000
  while ((await countRequests(standIn, DELETE)) < count) {
    if (performance.now() > deadline) throw new Error('messages were not proxied within a minute')
    await Bun.sleep(200)
  }
}
