import { swagger } from '@elysiajs/swagger'
import { type AnyElysia, Elysia, type TSchema } from 'elysia'
import { type ErrorName, errorTable } from '../model/errors'
import { version } from '../version'
import { components } from '../wire/components'

type ComponentName = keyof typeof components

/** A component, a list of one, or a schema of its own. */
type Answered = ComponentName | [ComponentName] | TSchema

interface Description {
  summary: string
  description?: string
  tag: string
  /** What a success answers, by status. */
  answers: Record<number, Answered | null>
  /** What a success is written in, where that is not JSON. */
  types?: string[]
  errors?: ErrorName[]
  deprecated?: boolean
}

/** A bot may name a system in `X-System` that does not exist, wherever it asks. */
const everywhere: ErrorName[] = ['systemNotFound', 'tooManyRequests', 'internal']

/** What writes can answer beside their own errors. */
export const writeErrors: ErrorName[] = ['badRequest', 'unauthorized', 'tooLarge']

/** The documentation of a route: its words, its answers, and every error it can give. */
export function describe({
  summary,
  description,
  tag,
  answers,
  types = ['application/json'],
  errors = [],
  deprecated,
}: Description) {
  return {
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    tags: [tag],
    responses: { ...successes(answers, types), ...failures([...errors, ...everywhere]) },
  }
}

/** The OpenAPI document, made from the routes' own schemas. */
export async function createDocument(routes: AnyElysia, publicUrl: string): Promise<object> {
  // The plugin's own page would load its scripts from elsewhere; only its document is used.
  const described = new Elysia({ normalize: false }).use(routes).use(
    swagger({
      path: '/page',
      specPath: '/document',
      documentation: {
        openapi: '3.1.0',
        info: { title: 'Multitude', version, description: INTRODUCTION },
        servers: [{ url: publicUrl || '/' }],
        components: {
          schemas: components as Record<ComponentName, object>,
          securitySchemes: {
            token: {
              type: 'apiKey',
              in: 'header',
              name: 'Authorization',
              description:
                'A system’s token, as it is; or `Bot ` and a bot’s key. A bot acts for the system it names in the header `X-System`.',
            },
          },
        },
        security: [{ token: [] }, {}],
      },
    }),
  )
  const response = await described.handle(new Request('http://localhost/document'))
  // Elysia's notes to itself are no part of the document.
  const document = JSON.parse(await response.text(), (key, value) =>
    key === 'elysiaMeta' ? undefined : value,
  )
  return onlyJson(document as OpenApi)
}

const INTRODUCTION = `The PluralKit-compatible interface of this server.

Paste a token under **Authorize** to act as your system; without one you see what is public.
Every path of version 2 also answers without the \`/v2\` prefix.`

type Content = Record<string, { schema: { additionalProperties?: unknown } }>

interface OpenApi {
  paths: Record<string, Record<string, { requestBody?: { content: Content } }>>
}

/** The plugin offers each body as form and text too; bodies here are JSON. */
function onlyJson(document: OpenApi): OpenApi {
  for (const path of Object.values(document.paths))
    for (const { requestBody } of Object.values(path)) {
      const json = requestBody?.content['application/json']
      if (!requestBody || !json) continue
      // Elysia closes the schemas it compiles; here unknown keys are passed over.
      const { additionalProperties: _, ...schema } = json.schema
      requestBody.content = { 'application/json': { schema } }
    }
  return document
}

function successes(answers: Description['answers'], types: string[]) {
  return Object.fromEntries(
    Object.entries(answers).map(([status, answer]) => [
      status,
      answer === null
        ? { description: 'Done; no content' }
        : {
            description: 'Success',
            content: Object.fromEntries(types.map((type) => [type, { schema: schemaOf(answer) }])),
          },
    ]),
  )
}

function schemaOf(answer: Answered): object {
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
        content: {
          'application/json': {
            schema: { $ref: '#/components/schemas/Error' },
            examples: Object.fromEntries(
              kinds.map((kind) => [
                kind,
                { value: { message: errorTable[kind].message, code: errorTable[kind].code } },
              ]),
            ),
          },
        },
      },
    ]),
  )
}
