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

type Answers = Pick<Description, 'answers' | 'types' | 'errors'>

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

/** The words about a route. Its answers are spelled only when the document is made. */
export function describe({ summary, description, tag, deprecated, ...answered }: Description) {
  return {
    summary,
    ...(description && { description }),
    ...(deprecated && { deprecated }),
    tags: [tag],
    responses: {},
    'x-answered': answered satisfies Answers,
  }
}

/** The OpenAPI document, made from the routes' own schemas. */
export async function createDocument(routes: AnyElysia, publicUrl: string): Promise<object> {
  // Only who asks for the document needs the plugin: loading it takes a part of each start.
  const { swagger } = await import('@elysiajs/swagger')
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
  return onlyJson(withAnswers(document as OpenApi))
}

const INTRODUCTION = `The PluralKit-compatible interface of this server.

Paste a token under **Authorize** to act as your system; without one you see what is public.
Every path of version 2 also answers without the \`/v2\` prefix.`

type Content = Record<string, { schema: { additionalProperties?: unknown } }>

interface Operation {
  requestBody?: { content: Content }
  responses: object
  'x-answered'?: Answers
}

interface OpenApi {
  paths: Record<string, Record<string, Operation>>
}

/** Every success and every error that a route can give. */
function withAnswers(document: OpenApi): OpenApi {
  for (const path of Object.values(document.paths))
    for (const operation of Object.values(path)) {
      const {
        answers = {},
        types = ['application/json'],
        errors = [],
      } = operation['x-answered'] ?? {}
      delete operation['x-answered']
      operation.responses = {
        ...successes(answers, types),
        ...failures([...errors, ...everywhere]),
      }
    }
  return document
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
