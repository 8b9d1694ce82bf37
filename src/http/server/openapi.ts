import { Elysia, type TSchema } from 'elysia'
import { type ErrorName, errorTable } from '../../model/core/errors'
import type { components } from '../../serializers/openapiComponents'
import type { ApiModule, PathPolicy } from './apiModule'
import {
  deferDetails,
  type PluginOperation,
  parseDocument,
  takeDeferredDetails,
} from './elysiaInternals'
import * as info from './openapiInfo'
import { buildPolicyTable, findPolicy } from './routeTable'

type ComponentName = keyof typeof components

/** A component, a list of a component, or an inline schema. */
type ResponseDescription = ComponentName | [ComponentName] | TSchema

interface Description {
  /** Unique `operationId`, used as a method name by generated clients: a verb and an object. */
  id: string
  summary: string
  /** One or two sentences for developers of clients. */
  description: string
  tag: info.Tag
  /** A write that needs no token, such as a login. */
  allowsAnonymous?: boolean
  /** A read that needs a token, because it returns the caller’s own data. */
  requiresAuth?: boolean
  /** Request headers that only this operation reads. */
  headers?: Record<string, string>
  /** Successful responses by status. */
  responses: Record<number, ResponseDescription | null>
  /** Content types of successful responses, if not JSON. */
  types?: string[]
  /** Content types of the body, if not JSON. */
  bodyTypes?: string[]
  errors?: ErrorName[]
  deprecated?: boolean
}

/** Parts of a description that are expanded when the document is built. */
type DeferredDetails = Pick<
  Description,
  'responses' | 'types' | 'bodyTypes' | 'errors' | 'requiresAuth' | 'allowsAnonymous' | 'headers'
>

/** Errors of every operation: `X-System` may name an unknown system, or one the bot cannot act for. */
const commonErrors: ErrorName[] = [
  'badRequest',
  'forbidden',
  'systemNotFound',
  'tooManyRequests',
  'internal',
  'unavailable',
]

/** Errors of every write. */
export const writeErrors: ErrorName[] = ['badRequest', 'unauthorized', 'requestTimeout', 'tooLarge']

/** Errors of every read of the caller's own rows, and of every write to them. */
export const ownReadErrors: ErrorName[] = ['badRequest', 'unauthorized', 'forbidden']
export const ownWriteErrors: ErrorName[] = [...writeErrors, 'forbidden']

/** Errors of references to members in a query or a body. */
export const memberRefErrors: ErrorName[] = ['memberRefNotFound', 'notYourMemberRef']

/** Builds the OpenAPI details of a route. */
export function describe({ id, summary, description, tag, deprecated, ...rest }: Description) {
  return {
    operationId: id,
    summary,
    description,
    ...(deprecated && { deprecated }),
    tags: [tag],
    responses: {},
    ...deferDetails<DeferredDetails>(rest),
  }
}

/** Builds the OpenAPI document from the schemas of the routes. */
export async function createDocument(
  modules: readonly ApiModule[],
  publicUrl: string,
): Promise<object> {
  // Loaded on demand, because these modules would slow down every start.
  const { swagger } = await import('@elysiajs/swagger')
  const { components: schemas } = await import('../../serializers/openapiComponents')
  // Only the plugin's document is used: its page would load scripts from another site.
  const described = new Elysia({ normalize: false }).use(modules.map(({ routes }) => routes())).use(
    swagger({
      path: '/page',
      // The path of the calendar contains a dot, but is no static file.
      excludeStaticFile: false,
      specPath: '/document',
      documentation: {
        openapi: '3.1.0',
        info: info.info,
        servers: [{ url: publicUrl || '/' }],
        tags: Object.entries(info.tags).map(([name, description]) => ({ name, description })),
        components: {
          schemas: schemas as Record<ComponentName, object>,
          securitySchemes: info.securitySchemes,
          parameters: info.parameters,
          headers: info.headers as Record<string, object>,
        },
      },
    }),
  )
  const response = await described.handle(new Request('http://localhost/document'))
  const document = parseDocument(await response.text())
  const policies = buildPolicyTable(modules, (policy) => policy)
  for (const [path, methods] of Object.entries((document as OpenApi).paths))
    for (const [method, operation] of Object.entries(methods))
      complete(operation, method, findPolicy(policies, path))
  return document
}

interface Operation extends PluginOperation<DeferredDetails> {
  parameters?: Parameter[]
  requestBody?: { content: Record<string, { schema: BodySchema; example?: unknown }> }
  responses: object
  security?: object[]
}

interface Parameter {
  $ref?: string
  schema?: { type?: string; 'x-required'?: true }
  required?: boolean
}

interface BodySchema {
  additionalProperties?: unknown
  /** Valid body, provided that the entities it refers to exist. */
  example?: unknown
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

/** Adds what follows from the policy of the path: security, headers and responses. */
function complete(
  operation: Operation,
  method: string,
  { requiresBotKey, isCacheable, hasProblemCodes }: PathPolicy,
): void {
  const rest = takeDeferredDetails(operation) ?? { responses: {} }
  const isPublicRead = rest.allowsAnonymous || (method === 'get' && !rest.requiresAuth)
  operation.security = requiresBotKey
    ? [{ botKey: [] }]
    : [{ token: [] }, { botKey: [] }, { session: [] }, ...(isPublicRead ? [{}] : [])]
  operation.parameters = [
    ...(operation.parameters ?? []).map(markRequired),
    ...Object.entries(rest.headers ?? {}).map(headerParameter),
    ...(requiresBotKey ? [] : [{ $ref: '#/components/parameters/XSystem' }]),
  ]
  operation.responses = {
    ...successes(rest, requiresBotKey),
    ...(method === 'get' && isCacheable && !rest.types && notModified),
    ...failures([...(rest.errors ?? []), ...commonErrors], hasProblemCodes),
  }
  keepContent(operation, rest.bodyTypes)
}

function markRequired({ schema, ...parameter }: Parameter): Parameter {
  const { 'x-required': isRequired, ...rest } = schema ?? {}
  return { ...parameter, ...(isRequired && { required: true }), schema: rest }
}

function headerParameter([name, description]: [string, string]) {
  return { name, in: 'header', required: false, description, schema: { type: 'string' } }
}

const notModified = {
  304: { description: 'Not modified: the `ETag` in `If-None-Match` is still current' },
}

/** Replaces the form and text variants that the plugin adds to each body by its real types. */
function keepContent({ requestBody }: Operation, types = ['application/json']): void {
  const json = requestBody?.content['application/json']
  if (!requestBody || !json) return
  // Elysia disallows unknown keys in the schemas it compiles, but routes ignore them.
  const { additionalProperties: _, example, ...schema } = json.schema
  requestBody.content = Object.fromEntries(types.map((type) => [type, { schema, example }]))
}

function successes(
  { responses, types = ['application/json'] }: DeferredDetails,
  requiresBotKey: boolean,
) {
  const headers = { ...info.commonHeaders, ...(!requiresBotKey && info.rateLimitHeaders) }
  return Object.fromEntries(
    Object.entries(responses).map(([status, response]) => [
      status,
      response === null
        ? { description: 'Success, no content', headers }
        : {
            description: 'Success',
            headers,
            content: Object.fromEntries(
              types.map((type) => [type, { schema: schemaOf(response) }]),
            ),
          },
    ]),
  )
}

function schemaOf(response: ResponseDescription): object {
  if (typeof response === 'string') return { $ref: `#/components/schemas/${response}` }
  if (!Array.isArray(response)) return response
  return { type: 'array', items: { $ref: `#/components/schemas/${response[0]}` } }
}

/** Builds one response per status, which lists its error codes. */
function failures(names: ErrorName[], hasProblemCodes: boolean) {
  const byStatus = Map.groupBy(new Set(names), (name) => errorTable[name].status)
  return Object.fromEntries(
    [...byStatus].map(([status, kinds]) => [
      status,
      {
        description: kinds
          .map((kind) => `\`${errorTable[kind].code}\` ${errorTable[kind].message}`)
          .join('\n\n'),
        ...(retryHeaders[status] && { headers: retryHeaders[status] }),
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/${hasProblemCodes ? 'ExtError' : 'Error'}` },
            examples: Object.fromEntries(kinds.map((kind) => [kind, { value: exampleOf(kind) }])),
          },
        },
      },
    ]),
  )
}

const retryHeaders: Record<number, object> = {
  429: { ...info.retryHeaders, ...info.rateLimitHeaders },
  503: info.retryHeaders,
}

function exampleOf(kind: ErrorName) {
  const { status, code, message } = errorTable[kind]
  return { message, code, ...(retryHeaders[status] && { retry_after: 1000 }) }
}
