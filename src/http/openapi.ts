import { Elysia, type TSchema } from 'elysia'
import { type ErrorName, errorTable } from '../model/errors'
import type { components } from '../serializers/openapiComponents'
import { type ApiModule, buildPolicyTable, findPolicy, type PathPolicy } from './apiModule'
import * as preface from './openapiInfo'

type ComponentName = keyof typeof components

/** A component, a list of one, or a schema of its own. */
type ResponseDescription = ComponentName | [ComponentName] | TSchema

interface Description {
  /** What a generated client calls it: a verb and a noun, unique. */
  id: string
  summary: string
  /** What helps who writes a client, in a sentence or two. */
  description: string
  tag: preface.Tag
  /** A write of somebody who shows no token: who logs in is nobody yet. */
  isAnonymous?: boolean
  /** A read of what is the caller’s own: nobody gets it without a token. */
  isOwn?: boolean
  /** Request headers that only this operation reads. */
  headers?: Record<string, string>
  /** What a success answers, by status. */
  answers: Record<number, ResponseDescription | null>
  /** What a success is written in, where that is not JSON. */
  types?: string[]
  errors?: ErrorName[]
  deprecated?: boolean
}

/** What is spelled only when the document is made. */
type Rest = Pick<Description, 'answers' | 'types' | 'errors' | 'isOwn' | 'isAnonymous' | 'headers'>

/** A bot may name in `X-System` what is no system, or one it may not act for, wherever it asks. */
const everywhere: ErrorName[] = [
  'badRequest',
  'forbidden',
  'systemNotFound',
  'tooManyRequests',
  'internal',
  'unavailable',
]

/** What writes can answer beside their own errors. */
export const writeErrors: ErrorName[] = ['badRequest', 'unauthorized', 'tooLarge']

/** The words about a route. */
export function describe({ id, summary, description, tag, deprecated, ...rest }: Description) {
  return {
    operationId: id,
    summary,
    description,
    ...(deprecated && { deprecated }),
    tags: [tag],
    responses: {},
    'x-rest': rest satisfies Rest,
  }
}

/** The OpenAPI document, made from the routes' own schemas. */
export async function createDocument(
  modules: readonly ApiModule[],
  publicUrl: string,
): Promise<object> {
  // Only who asks for the document needs these: loading them takes a part of each start.
  const { swagger } = await import('@elysiajs/swagger')
  const { components: schemas } = await import('../serializers/openapiComponents')
  // The plugin's own page would load its scripts from elsewhere; only its document is used.
  const described = new Elysia({ normalize: false }).use(modules.map(({ routes }) => routes())).use(
    swagger({
      path: '/page',
      // A calendar has a dot in its address, and is no file.
      excludeStaticFile: false,
      specPath: '/document',
      documentation: {
        openapi: '3.1.0',
        info: preface.info,
        servers: [{ url: publicUrl || '/' }],
        tags: Object.entries(preface.tags).map(([name, description]) => ({ name, description })),
        components: {
          schemas: schemas as Record<ComponentName, object>,
          securitySchemes: preface.securitySchemes,
          parameters: preface.parameters,
          headers: preface.headers as Record<string, object>,
        },
      },
    }),
  )
  const response = await described.handle(new Request('http://localhost/document'))
  // Elysia's notes to itself are no part of the document.
  const document = JSON.parse(await response.text(), (key, value) =>
    key === 'elysiaMeta' ? undefined : value,
  )
  const stated = buildPolicyTable(modules, (facts) => facts)
  for (const [path, methods] of Object.entries((document as OpenApi).paths))
    for (const [method, operation] of Object.entries(methods))
      complete(operation, method, findPolicy(stated, path))
  return document
}

interface Operation {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: BodySchema; example?: unknown }> }
  responses: object
  security?: object[]
  'x-rest'?: Rest
}

interface Parameter {
  $ref?: string
  schema?: { type?: string; 'x-needed'?: true }
  required?: boolean
}

interface BodySchema {
  additionalProperties?: unknown
  /** A body that works when it is sent as it stands, once what it names is there. */
  example?: unknown
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

/** Says what follows from where a route lies: who may ask, with which headers, and what comes. */
function complete(
  operation: Operation,
  method: string,
  { requiresBotKey, isCacheable }: PathPolicy,
): void {
  const { 'x-rest': rest = { answers: {} } } = operation
  delete operation['x-rest']
  const isOpen = rest.isAnonymous || (method === 'get' && !rest.isOwn)
  operation.security = requiresBotKey
    ? [{ botKey: [] }]
    : [{ token: [] }, { botKey: [] }, { session: [] }, ...(isOpen ? [{}] : [])]
  operation.parameters = [
    ...(operation.parameters ?? []).map(markRequired),
    ...Object.entries(rest.headers ?? {}).map(headerParameter),
    ...(requiresBotKey ? [] : [{ $ref: '#/components/parameters/XSystem' }]),
  ]
  operation.responses = {
    ...successes(rest, requiresBotKey),
    ...(method === 'get' && isCacheable && !rest.types && unchanged),
    ...failures([...(rest.errors ?? []), ...everywhere]),
  }
  keepJson(operation)
}

function markRequired({ schema, ...parameter }: Parameter): Parameter {
  const { 'x-needed': isNeeded, ...rest } = schema ?? {}
  return { ...parameter, ...(isNeeded && { required: true }), schema: rest }
}

function headerParameter([name, description]: [string, string]) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } }
}

/** What a client has kept is still true. */
const unchanged = {
  304: { description: 'Not changed since the answer whose `ETag` came as `If-None-Match`' },
}

/** The plugin offers each body as form and text too; bodies here are JSON. */
function keepJson({ requestBody }: Operation): void {
  const json = requestBody?.content['application/json']
  if (!requestBody || !json) return
  // Elysia closes the schemas it compiles; here unknown keys are passed over.
  const { additionalProperties: _, example, ...schema } = json.schema
  requestBody.content = { 'application/json': { schema, example } }
}

function successes({ answers, types = ['application/json'] }: Rest, requiresBotKey: boolean) {
  const headers = { ...preface.always, ...(!requiresBotKey && preface.ofLimited) }
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      answer === null
        ? { description: 'Done; no content', headers }
        : {
            description: 'Success',
            headers,
            content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(answer) }])),
          },
    ]),
  )
}

function schemaOf(answer: ResponseDescription): object {
  if (typeof answer === 'string') return { $ref: `#/components/schemas/${answer}` }
  if (!Array.isArray(answer)) return answer
  return { type: 'array', items: { $ref: `#/components/schemas/${answer[0]}` } }
}

/** One answer per status, naming each error number that comes with it. */
function failures(names: ErrorName[]) {
  const byStatus = Map.groupBy(new Set(names), (name) => errorTable[name].status)
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [
      status,
      {
        description: kinds
          .map((kind) => `\`${errorTable[kind].code}\` ${errorTable[kind].message}`)
          .join('\n\n'),
        ...(laterHeaders[status] && { headers: laterHeaders[status] }),
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(kinds.map((kind) => [kind, { value: exampleOf(kind) }])),
          },
        },
      },
    ]),
  )
}

/** What says when to come back. */
const laterHeaders: Record<number, object> = {
  429: { ...preface.ofLater, ...preface.ofLimited },
  503: preface.ofLater,
}

function exampleOf(kind: ErrorName) {
  const { status, code, message } = errorTable[kind]
  return { message, code, ...(laterHeaders[status] && { retry_after: 1000 }) }
}
