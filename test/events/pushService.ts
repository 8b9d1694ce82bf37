import {
  createECDH,
  createHash,
  createPublicKey,
  type ECDH,
  randomBytes,
  verify,
} from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { decrypt } from 'http_ece'
import { afterAll } from '../tools/test'
import { ipName, makeCertificate } from './certificate'

/** Certificate of the push service on loopback. */
export const certificate = makeCertificate(ipName([127, 0, 0, 1]))

/** A request that the push service received. */
export interface Pushed {
  readonly path: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** A status, headers with it, or 'hang' for no response. */
export type PushAnswer = number | { status: number; headers: Record<string, string> } | 'hang'

/** Push service on loopback, over HTTPS. */
export interface PushService {
  readonly origin: string
  readonly received: Pushed[]
  /** Answers a request, possibly later. */
  answer: (pushed: Pushed) => PushAnswer | Promise<PushAnswer>
  /** Returns the requests to one browser. */
  to(browser: Browser): Pushed[]
  stop(): void
}

export async function startPushService(): Promise<PushService> {
  const received: Pushed[] = []
  const server = createServer({ key: certificate.key, cert: certificate.cert })
  server.on('request', async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const pushed = {
      path: request.url ?? '',
      method: request.method ?? '',
      headers: request.headers as Record<string, string>,
      body: Buffer.concat(chunks),
    }
    received.push(pushed)
    const answer = await service.answer(pushed)
    if (answer === 'hang') return
    const { status, headers } =
      typeof answer === 'number' ? { status: answer, headers: {} } : answer
    response.writeHead(status, headers).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = () => {
    server.closeAllConnections()
    server.close()
  }
  afterAll(stop)
  const service: PushService = {
    origin: `https://127.0.0.1:${port}`,
    received,
    answer: () => 201,
    to: ({ endpoint }) => received.filter(({ path }) => endpoint.endsWith(path)),
    stop,
  }
  return service
}

/** A browser with its push subscription. */
export interface Browser {
  readonly endpoint: string
  readonly keys: { readonly p256dh: string; readonly auth: string }
  readonly ecdh: ECDH
}

let browsers = 0

/** Creates the subscription of a browser at a push service. */
export function createBrowser(origin: string): Browser {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  const auth = randomBytes(16).toString('base64url')
  browsers += 1
  return {
    endpoint: `${origin}/push/${browsers}-${randomBytes(4).toString('hex')}`,
    keys: { p256dh: ecdh.getPublicKey().toString('base64url'), auth },
    ecdh,
  }
}

export interface Shown {
  kind: string
  title: string
  text: string
  url: string
  tag: string
}

/** Decrypts a message as the browser does. Returns it with the length of its plain text. */
export function read({ body }: Pushed, { ecdh, keys }: Browser): { shown: Shown; size: number } {
  const plain = decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret: keys.auth })
  return { shown: JSON.parse(plain.toString('utf8')), size: plain.length }
}

export interface Claims {
  aud: string
  exp: number
  sub: string
}

/** Verifies the signature of the VAPID header. Returns its claims and the public key. */
export function readClaims({ headers }: Pushed): { claims: Claims; key: string } {
  const [, token = '', key = ''] =
    /^vapid t=([^,]+), k=(\S+)$/.exec(headers.authorization ?? '') ?? []
  const [head = '', payload = '', signature = ''] = token.split('.')
  const point = Buffer.from(key, 'base64url')
  const jwk = {
    kty: 'EC',
    crv: 'P-256',
    x: point.subarray(1, 33).toString('base64url'),
    y: point.subarray(33).toString('base64url'),
  }
  const isSigned = verify(
    'sha256',
    Buffer.from(`${head}.${payload}`),
    { key: createPublicKey({ key: jwk, format: 'jwk' }), dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) throw new Error('the signature of the token is wrong')
  return { claims: JSON.parse(Buffer.from(payload, 'base64url').toString()), key }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}
