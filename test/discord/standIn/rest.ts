import type { IncomingMessage, ServerResponse } from 'node:http'
import { pathsList } from 'discord-api-spec'
import type { Context } from './context'
import { DiscordError, isObject } from './errors'
import type { RestFault } from './faults'
import { isBotToken } from './gatewayOpcodes'
import type { UploadedFile } from './messageRules'
import type { RecordedRequest } from './record'
import { parseRestBody } from './restBody'
import { routesOfApplications } from './routesOfApplications'
import { routesOfChannels } from './routesOfChannels'
import { routesOfGuilds } from './routesOfGuilds'
import { routesOfInteractions } from './routesOfInteractions'
import { routesOfMessages } from './routesOfMessages'
import { routesOfReactions } from './routesOfReactions'
import { routesOfWebhooks } from './routesOfWebhooks'
import { answers, assertMatches, requireBody, type Schema } from './schemas'
import type { JsonObject } from './types'
import { unauthorized } from './world'

export interface RestRequest {
  params: Record<string, string>
  query: URLSearchParams
  /** Validated body, with the laxness of Discord's parser normalized. */
  body: JsonObject
  /** Body of requests whose body is a list. */
  list: JsonObject[]
  files: UploadedFile[]
}

export interface Answer {
  status?: number
  body?: unknown
}

export interface Route {
  /** Method and path as in Discord's OpenAPI document. */
  name: string
  body?: Schema
  answer?: Schema
  /** The token in the path authenticates instead of the header. */
  isPublic?: boolean
  handle(context: Context, request: RestRequest): Answer | Promise<Answer>
}

const routes = [
  routesOfApplications,
  routesOfChannels,
  routesOfGuilds,
  routesOfInteractions,
  routesOfMessages,
  routesOfReactions,
  routesOfWebhooks,
].flat()

const API_VERSION = '/api/v10'

const documented = new Set(
  Object.entries(pathsList).flatMap(([method, paths]) =>
    paths.map((path: string) => `${method.toUpperCase()} ${path}`),
  ),
)

/** Returns true for operations that Discord has, also if the stand-in lacks them. */
function isDocumented(method: string, path: string): boolean {
  return [...documented].some((name) => {
    const [known, template = ''] = name.split(' ')
    return known === method && patternOf(template).test(path)
  })
}

function patternOf(template: string): RegExp {
  return new RegExp(`^${template.replaceAll(/\{\w+\}/g, '([^/]+)')}$`)
}

const compiled = routes.map((route) => {
  if (!documented.has(route.name)) throw new Error(`${route.name} is not in Discord's document`)
  const [method = '', path = ''] = route.name.split(' ')
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const pattern = patternOf(path)
  return { route, method, names, pattern, parameters: names.length }
})

/** Routes without a parameter match before those with one: `/users/@me` before `/users/{user_id}`. */
const ordered = compiled.toSorted((one, other) => one.parameters - other.parameters)

function findRoute(method: string, path: string) {
  for (const { route, method: known, names, pattern } of ordered) {
    const match = known === method ? pattern.exec(path) : null
    if (match)
      return {
        route,
        params: Object.fromEntries(
          names.map((name, index) => [name, decodeURIComponent(match[index + 1] ?? '')]),
        ),
      }
  }
  return null
}

/** Handles one request of the bot: records it, applies faults and limits, validates and answers. */
export async function handleRest(
  context: Context,
  message: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  receivedAt: number,
): Promise<void> {
  const url = new URL(message.url ?? '/', context.addresses.api)
  const path = url.pathname.startsWith(`${API_VERSION}/`)
    ? url.pathname.slice(API_VERSION.length)
    : null
  const method = message.method ?? 'GET'
  const match = path === null ? null : findRoute(method, path)
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [name, String(value)]),
  )
  const entry = context.record.addRequest({
    receivedAt,
    method,
    path: `${path ?? url.pathname}${url.search}`,
    route: match?.route.name ?? null,
    headers,
    body: null,
    files: [],
    status: null,
    code: null,
    answer: null,
  })
  const limitHeaders: Record<string, string> = {}
  try {
    const answer = await answerRequest(context, match, url, entry, bytes, limitHeaders)
    if (answer === 'reset') return void message.socket.destroy()
    if (answer === 'timeout') return
    send(
      context,
      response,
      entry,
      answer.status ?? (answer.body === undefined ? 204 : 200),
      answer.body,
      limitHeaders,
    )
  } catch (error) {
    if (!(error instanceof DiscordError)) throw error
    send(context, response, entry, error.status, error.body, { ...limitHeaders, ...error.headers })
  }
}

type Match = ReturnType<typeof findRoute>

async function answerRequest(
  context: Context,
  match: Match,
  url: URL,
  entry: RecordedRequest,
  bytes: Uint8Array,
  limitHeaders: Record<string, string>,
): Promise<Answer | 'reset' | 'timeout'> {
  const { headers } = entry
  if (!match) {
    const isMissing = isDocumented(entry.method, url.pathname.slice(API_VERSION.length))
    context.record.addProblem(
      `${isMissing ? 'the stand-in lacks the route' : 'unknown route'}: ${entry.method} ${redactPath(entry.path)}`,
    )
    throw new DiscordError(404, { message: '404: Not Found', code: 0 })
  }
  const { route, params } = match
  // "Reference, User Agent": requests without a valid one are blocked before they reach the API.
  const isKnownAgent = headers['user-agent']?.startsWith('DiscordBot (')
  if (context.options.requiresUserAgent && !isKnownAgent)
    throw new DiscordError(403, 'error code: 1010')
  const isBot =
    isBotToken(context, headers.authorization) && headers.authorization?.startsWith('Bot ')
  if (!isBot && (!route.isPublic || headers.authorization !== undefined)) throw unauthorized()

  const major = majorParameter(params)
  const before = context.faults.take(route.name, 'before')
  const early = before && (await applyFault(context, before, route.name, major))
  if (early) return early
  Object.assign(limitHeaders, context.limits.take(route.name, major, isBot ? 'bot' : 'address'))

  const { body, list, files } = await parseRestBody(entry, bytes)
  if (route.body) requireBody(route.body, list ?? body)
  const answer = await route.handle(context, {
    params,
    query: url.searchParams,
    body,
    list: list ?? [],
    files,
  })
  if (route.answer && answer.body !== undefined)
    assertMatches(context, route.answer, answer.body, `answer to ${route.name}`)

  const after = context.faults.take(route.name, 'after')
  return (after && (await applyFault(context, after, route.name, major))) ?? answer
}

/** Applies a fault; returns null if the request goes on after a delay. */
async function applyFault(context: Context, fault: RestFault, route: string, major: string) {
  if (fault.delayMs || fault.isHeld) await context.faults.delay(fault)
  switch (fault.kind) {
    case 'delay':
      return null
    case 'reset':
    case 'timeout':
      return fault.kind
    case 'rateLimit':
      throw context.limits.injected(
        route,
        major,
        fault.scope ?? 'shared',
        fault.retryAfterMs ?? 100,
      )
    case 'status': {
      const { status = 500, code = 0 } = fault
      throw new DiscordError(status, { message: `${status}: injected fault`, code })
    }
  }
}

/** Parameter that separates buckets ("Rate Limits": channel, guild, webhook ID and token). */
function majorParameter(params: Record<string, string>): string {
  const { webhook_id: webhook, webhook_token: token } = params
  return params.channel_id ?? params.guild_id ?? (webhook ? `${webhook} ${token ?? ''}` : '')
}

function send(
  context: Context,
  response: ServerResponse,
  entry: RecordedRequest,
  status: number,
  body: unknown,
  headers: Record<string, string>,
): void {
  entry.status = status
  entry.answer = body ?? null
  entry.code = isObject(body) && typeof body.code === 'number' && status >= 400 ? body.code : null
  if (isObject(body) && status === 429) assertMatches(context, answers.rateLimited, body, '429')
  else if (isObject(body) && status >= 400) assertMatches(context, answers.error, body, 'error')
  context.record.changed()
  if (body === undefined) {
    response.writeHead(status, headers)
    response.end()
    return
  }
  const isText = typeof body === 'string'
  response.writeHead(status, {
    ...headers,
    'Content-Type': isText ? 'text/plain' : 'application/json',
  })
  response.end(isText ? body : JSON.stringify(body))
}

/** Path without tokens, for messages about problems. */
function redactPath(path: string): string {
  return path.replaceAll(/[\w-]{40,}/g, '…')
}
