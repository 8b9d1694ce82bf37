import type { DiscordStandIn } from '../standIn/startDiscord'

export interface Payload {
  op: number
  t: string | null
  s: number | null
  d: Json
}

/** JSON of an event or an answer, read without types because these tests check the stand-in. */
export interface Json {
  [key: string]: Json
}

/** A gateway client that does nothing by itself: no heartbeat, no resume. */
export class RawGateway {
  readonly received: Payload[] = []
  /** Code with which the connection closed. */
  readonly closed: Promise<number>
  private readonly socket: WebSocket
  private wake: () => void = () => undefined
  private isClosed = false

  constructor(url: string) {
    this.socket = new WebSocket(`${url}/?v=10&encoding=json`)
    this.socket.onmessage = ({ data }) => {
      this.received.push(JSON.parse(String(data)))
      this.wake()
    }
    this.closed = new Promise((resolve) => {
      this.socket.onclose = ({ code }) => {
        this.isClosed = true
        this.wake()
        resolve(code)
      }
    })
  }

  /** First payload that satisfies the condition, now or later. */
  async find(isWanted: (payload: Payload) => boolean): Promise<Payload> {
    for (;;) {
      const payload = this.received.find(isWanted)
      if (payload) return payload
      if (this.isClosed) throw new Error(`the connection closed: ${await this.closed}`)
      await new Promise<void>((resolve) => {
        this.wake = resolve
      })
    }
  }

  op(op: number): Promise<Payload> {
    return this.find((payload) => payload.op === op)
  }

  event(type: string): Promise<Payload> {
    return this.find((payload) => payload.t === type)
  }

  /** Types of the events received so far. */
  get types(): string[] {
    return this.received.flatMap(({ t }) => (t === null ? [] : [t]))
  }

  send(op: number, d: unknown): void {
    this.sendText(JSON.stringify({ op, d }))
  }

  sendText(text: string): void {
    this.socket.send(text)
  }

  close(code: number): Promise<number> {
    this.socket.close(code)
    return this.closed
  }

  terminate(): void {
    this.socket.terminate()
  }
}

/** Intents of the bot. */
export const allIntents = 46625

export function identifyData(discord: DiscordStandIn, changes: object = {}): object {
  return {
    token: discord.token,
    intents: allIntents,
    properties: { os: 'linux', browser: 'test', device: 'test' },
    ...changes,
  }
}

/** Connects and identifies; resolves when READY and the last GUILD_CREATE have arrived. */
export async function connect(discord: DiscordStandIn, changes: object = {}) {
  const client = new RawGateway(discord.gateway)
  await client.op(10)
  client.send(2, identifyData(discord, changes))
  const ready = await client.event('READY')
  const guilds = Object.keys(ready.d.guilds ?? {}).length
  const intents = 'intents' in changes ? Number(changes.intents) : allIntents
  if (guilds > 0 && intents & 1)
    await client.find(
      () => client.types.filter((type) => type === 'GUILD_CREATE').length === guilds,
    )
  return { client, sessionId: String(ready.d.session_id) }
}

export async function resume(discord: DiscordStandIn, sessionId: string, seq: number) {
  const client = new RawGateway(discord.resumeGateway)
  await client.op(10)
  client.send(6, { token: discord.token, session_id: sessionId, seq })
  return client
}

export interface RestFile {
  index: number
  filename: string
  type: string
  content: string | Uint8Array
}

export interface RestOptions {
  body?: unknown
  files?: RestFile[]
  /** Value of the Authorization header; null sends none. */
  authorization?: string | null
  headers?: Record<string, string>
}

export interface RestAnswer {
  status: number
  code: number | null
  body: Json
  headers: Headers
}

/** Sends one request, for example `rest(discord, 'GET /users/@me')`, without retries or limits. */
export async function rest(
  discord: DiscordStandIn,
  line: string,
  { body, files, authorization, headers = {} }: RestOptions = {},
): Promise<RestAnswer> {
  const [method = 'GET', path = '/'] = line.split(' ')
  const isPublic = /^\/(webhooks\/\d+\/|interactions\/)/.test(path)
  const token =
    authorization === undefined ? (isPublic ? null : `Bot ${discord.token}`) : authorization
  const json = body === undefined ? undefined : JSON.stringify(body)
  const form = files && formOf(json ?? '{}', files)
  const response = await fetch(`${discord.api}/v10${path}`, {
    method,
    headers: {
      'User-Agent': 'DiscordBot (https://example.com, 1.0)',
      ...(token === null ? {} : { Authorization: token }),
      ...(json !== undefined && !form ? { 'Content-Type': 'application/json' } : {}),
      ...headers,
    },
    ...(form || json !== undefined ? { body: form ?? json ?? null } : {}),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type') === 'application/json'
  const answer: Json = isJson ? JSON.parse(text) : { text }
  const code = isJson && response.status >= 400 ? Number(answer.code) : null
  return { status: response.status, code, body: answer, headers: response.headers }
}

function formOf(json: string, files: RestFile[]): FormData {
  const form = new FormData()
  form.set('payload_json', json)
  for (const { index, filename, type, content } of files)
    form.set(`files[${index}]`, new Blob([content], { type }), filename)
  return form
}
