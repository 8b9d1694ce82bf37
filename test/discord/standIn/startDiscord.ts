import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { findFile } from './attachments'
import type { Time } from './clock'
import { type Addresses, createContext } from './context'
import { handleControl } from './control'
import { type Control, createLocalControl } from './controlClient'
import type { FaultContext } from './controlFaults'
import { startGateway } from './gateway'
import type { StandInOptions } from './options'
import { handleRest } from './rest'

export interface DiscordStandIn extends Addresses {
  token: string
  applicationId: string
  botId: string
  control: string
  /** Actions of the control interface, without its HTTP requests. */
  users: Control
  stop(): Promise<void>
}

/** Starts a stand-in for Discord on loopback ports that are free. */
export async function startDiscord(
  options: Partial<StandInOptions> = {},
  time?: Time,
): Promise<DiscordStandIn> {
  const base = createContext(options, time)
  const gateway = startGateway(base, 'gateway')
  const listeners = {
    gateway,
    resume: startGateway(base, 'resume'),
    async setResumeListening(isListening: boolean) {
      await listeners.resume.stop()
      const { port } = new URL(listeners.resume.url)
      if (isListening) listeners.resume = startGateway(base, 'resume', Number(port))
    },
  }
  const context: FaultContext = { ...base, listeners }
  const server = await listen((request, response) => handleRequest(context, request, response))
  const foreign = await listen((request, response) => {
    const url = String(request.url)
    context.record.downloads.push({ at: context.clock.now(), url, status: 200, origin: 'foreign' })
    response.end('foreign')
  })
  const origin = addressOf(server)
  const addresses: Addresses = {
    api: `${origin}/api`,
    cdn: origin,
    gateway: gateway.url,
    resumeGateway: listeners.resume.url,
    foreign: addressOf(foreign),
    control: `${origin}/_`,
  }
  Object.assign(base.addresses, addresses)
  const { application } = base
  return {
    ...addresses,
    token: application.token,
    applicationId: application.id,
    botId: application.botId,
    users: createLocalControl(context),
    async stop() {
      await Promise.all([gateway.stop(), listeners.resume.stop()])
      for (const one of [server, foreign]) {
        one.close()
        one.closeAllConnections()
      }
    },
  }
}

function listen(
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<Server> {
  const server = createServer(handle)
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)))
}

function addressOf(server: Server): string {
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the server has no port')
  return `http://127.0.0.1:${address.port}`
}

async function handleRequest(
  context: FaultContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const receivedAt = performance.now()
  const bytes = await readBody(request)
  const url = new URL(request.url ?? '/', context.addresses.cdn)
  try {
    if (url.pathname.startsWith('/_/')) {
      const answer = await handleControl(
        context,
        url.pathname.slice(3),
        new TextDecoder().decode(bytes),
      )
      response.writeHead(answer.status, { 'Content-Type': 'application/json' })
      response.end(await answer.text())
    } else if (url.pathname.startsWith('/api/'))
      await handleRest(context, request, response, bytes, receivedAt)
    else sendFile(context, url, response)
  } catch (error) {
    context.record.addProblem(
      `the stand-in failed: ${error instanceof Error ? error.stack : error}`,
    )
    response.writeHead(500)
    response.end('the stand-in failed')
  }
}

/** Serves a file of the CDN; 404 once its address has expired ("Signed Attachment CDN URLs"). */
function sendFile(context: FaultContext, url: URL, response: ServerResponse): void {
  const file = findFile(context, url)
  const status = file ? 200 : 404
  const path = `${url.pathname}${url.search}`
  context.record.downloads.push({ at: context.clock.now(), url: path, status, origin: 'cdn' })
  context.record.changed()
  response.writeHead(status, { 'Content-Type': file?.contentType ?? 'text/plain' })
  response.end(file ? file.bytes : 'This content is no longer available.')
}

async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
