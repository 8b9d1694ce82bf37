import fc from 'fast-check'
import { document } from '../tools/openapiDocument'

/** Generates random and hostile requests for every route of the API document. */

export type Owner = 'mine' | 'theirs'

/** Existing references by kind: each with its short ID and its UUID, or its only ID. */
export type Pools = Record<Owner, Record<string, string[][]>>

export interface Attack {
  who: Owner | 'nobody'
  method: string
  path: string
  headers: Record<string, string>
  body: string | Uint8Array | null
}

interface Schema {
  type?: string | string[]
  enum?: unknown[]
  pattern?: string
  required?: string[]
  properties?: Record<string, Schema>
}

interface OperationObject {
  responses: object
  requestBody?: { content: Record<string, { schema: Schema }> }
}

interface Route {
  method: string
  path: string
  body: Schema | undefined
}

export const routes: Route[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods as Record<string, OperationObject>).map(([method, { requestBody }]) => ({
    method: method.toUpperCase(),
    path,
    body: requestBody?.content['application/json']?.schema,
  })),
)

/** Replaces placeholders such as `⟦mine members 3 upper⟧` in an attack by existing references. */
export function fillPlaceholders(text: string, pools: Pools): string {
  return text.replaceAll(/⟦(\w+) (\w+) (\d+) (\w+)⟧/g, (_, owner: Owner, kind, at, form) => {
    const references = pools[owner][kind] ?? []
    const [short = 'zzzzzz', long = short] = references[Number(at) % references.length] ?? []
    if (form === 'long') return long
    if (form === 'upper') return short.toUpperCase()
    return form === 'dashed' ? `${short.slice(0, 3)}-${short.slice(3)}` : short
  })
}

function attackRoute({ method, path, body }: Route): fc.Arbitrary<Attack> {
  return fc.record({
    who: fc.constantFrom('mine', 'theirs', 'nobody'),
    method: mostly(
      method,
      fc.constantFrom('GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'),
    ),
    path: fc
      .tuple(pathOf(path), pathVariants, fc.oneof(fc.constant(''), queries))
      .map(([part, vary, query]) => `${vary(part)}${query}`),
    headers: fc.oneof(fc.constant({}), fc.dictionary(fc.constantFrom(...HEADERS), headerValues)),
    body: bodyOf(body),
  })
}

const KINDS: Record<string, string> = {
  systemRef: 'systems',
  memberRef: 'members',
  groupRef: 'groups',
  switchRef: 'switches',
  guild_id: 'guilds',
  message: 'messages',
  account_id: 'accounts',
  '/v1/m/': 'members',
  '/v1/s/': 'systems',
  '/v1/a/': 'accounts',
  '/v1/msg/': 'messages',
  '/bot/messages/': 'messages',
}

const HOSTILE_TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\ud800',
  'x\udc00y',
  '\u202e\ufeff',
  '__proto__',
  'constructor',
  'null',
  'undefined',
  'NaN',
  '-1',
  '0',
  '1e309',
  '18446744073709551615',
  '18446744073709551616',
  '9'.repeat(400),
  'x'.repeat(101),
  'é'.repeat(5000),
  '../../etc/passwd',
  '%00',
  '%ff',
  '%',
  "'; DROP TABLE members; --",
  '{{7*7}}',
  '2026-02-30',
  '0000-00-00T00:00:00Z',
  '9999-12-31T23:59:59.999999+23:59',
  '٣',
  '@me',
]

const HOSTILE_BODIES = [
  '',
  'null',
  'true',
  '"x"',
  '{',
  '\ufeff{}',
  '{"__proto__":{"name":"x"},"constructor":{"prototype":{}}}',
  '{"privacy":{"__proto__":"private","visibility":{}}}',
  '{"name":"a","name":"b"}',
  '{"name":"\\ud800"}',
  '{"name":"a\\u0000b","description":"\\u0000"}',
  `{"name":${'9'.repeat(400)},"latch_timeout":1e308}`,
  `{"name":"${'x'.repeat(100_000)}"}`,
  `{"members":[${'"abcdef",'.repeat(2000)}"abcdef"]}`,
  `[${'"abcdef",'.repeat(2000)}"abcdef"]`,
  '['.repeat(50_000),
  `${'['.repeat(5000)}${']'.repeat(5000)}`,
  `{"proxy_tags":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  `${'{"privacy":'.repeat(5000)}1${'}'.repeat(5000)}`,
  ' '.repeat(1024 * 1024 + 1),
]

const HEADERS = [
  'content-type',
  'content-encoding',
  'authorization',
  'x-system',
  'x-forwarded-for',
  'x-http-method-override',
  'accept',
  'cookie',
  'origin',
  'range',
]

const headerValues = fc.constantFrom(
  '',
  'application/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain; charset=utf-16',
  'gzip',
  'Bearer',
  'Bearer nonsense',
  'Bot nonsense',
  '@me',
  'DELETE',
  '\u00ff\u00fe',
  'x'.repeat(8000),
)

const pathVariants = fc.oneof(
  { weight: 12, arbitrary: fc.constant((path: string) => path) },
  { weight: 3, arbitrary: fc.constant((path: string) => path.replace('/v2', '')) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      (path: string) => `${path}/`,
      (path: string) => path.replaceAll('/', '//'),
      (path: string) => path.replace(/^\/\w+/, (first) => first.toUpperCase()),
      (path: string) => `${path}/more`,
      (path: string) => path.replace('v2', 'v3'),
    ),
  },
)

const texts = fc.oneof(fc.constantFrom(...HOSTILE_TEXTS), fc.string({ unit: 'binary' }))

const queries = fc.oneof(
  fc
    .dictionary(
      fc.constantFrom('limit', 'before', 'guild_id', 'channel_id', 'with_members', '__proto__'),
      fc.oneof(
        fc.constantFrom('1', '100', 'true', '2026-01-01T00:00:00.000001Z', '⟦mine guilds 0 short⟧'),
        texts,
      ),
    )
    .map((values) => Object.entries(values).map((pair) => pair.map(encode).join('=')))
    .map((pairs) => `?${pairs.join('&')}`),
  fc.constantFrom('?', '?limit', '?limit=1&limit=2', '?limit[]=1', '?%', '?a=%ff', '?=', '?&&&'),
)

function referenceTo(kind: string): fc.Arbitrary<string> {
  const real = fc
    .record({
      owner: fc.constantFrom('mine', 'theirs'),
      kind: mostly(kind, fc.constantFrom(...Object.values(KINDS))),
      at: fc.nat(9),
      form: fc.constantFrom('short', 'long', 'upper', 'dashed'),
    })
    .map(({ owner, kind, at, form }) => `⟦${owner} ${kind} ${at} ${form}⟧`)
  return fc.oneof(
    { weight: 8, arbitrary: real },
    { weight: kind === 'systems' ? 6 : 0, arbitrary: fc.constant('@me') },
    { weight: 2, arbitrary: texts },
  )
}

function pathOf(path: string): fc.Arbitrary<string> {
  const parts = path.split(/\{(\w+)\}/)
  const chosen = parts.map((part, at) =>
    at % 2 === 0
      ? fc.constant(part)
      : referenceTo(KINDS[part] ?? KINDS[parts[at - 1] ?? ''] ?? 'systems').map(encode),
  )
  return fc.tuple(...chosen).map((all) => all.join(''))
}

function bodyOf(schema: Schema = {}): fc.Arbitrary<Attack['body']> {
  const list = fc.array(fc.oneof(referenceTo('members'), referenceTo('groups')), { maxLength: 4 })
  const shaped = schema.type === 'array' ? list : objectOf(schema)
  return fc.oneof(
    { weight: 8, arbitrary: shaped.map((value) => JSON.stringify(value)) },
    { weight: 2, arbitrary: fc.constantFrom(...HOSTILE_BODIES) },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 40 }) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

/** Generates objects with the required keys and a few of the others. */
function objectOf({ properties = {}, required = [] }: Schema): fc.Arbitrary<object> {
  const values = Object.entries(properties).map(([key, schema]) =>
    fc.oneof(
      { weight: 7, arbitrary: fittingValue(key, schema) },
      { weight: 1, arbitrary: hostileValue },
    ),
  )
  return fc
    .tuple(
      fc.shuffledSubarray(Object.keys(properties), { maxLength: Math.min(3, values.length) }),
      fc.tuple(...values),
    )
    .map(([chosen, all]) => {
      const pairs = Object.keys(properties).map((key, at) => [key, all[at]] as const)
      return Object.fromEntries(
        pairs.filter(([key]) => chosen.includes(key) || required.includes(key)),
      )
    })
}

/** Generates values that the schema allows for a key. */
function fittingValue(key: string, { type, enum: values, pattern, properties }: Schema) {
  if (key === 'members') return fc.array(referenceTo('members'), { maxLength: 4 })
  if (key === 'autoproxy_member' || key === 'member') return referenceTo('members')
  if (key === 'timestamp') return fc.constantFrom(null, '2026-01-01T00:00:00.000001Z', '2026-01-02')
  if (values) return fc.constantFrom(...values)
  if (properties) return objectOf({ properties })
  const kinds: Record<string, fc.Arbitrary<unknown>> = {
    boolean: fc.boolean(),
    integer: fc.nat(),
    array: fc.array(fc.record({ prefix: fc.string({ maxLength: 9 }) }), { maxLength: 3 }),
  }
  const texts = pattern?.includes('fA-F')
    ? ['88c0a8', null]
    : pattern?.includes('-')
      ? ['0004-11-02', null]
      : ['Wren', 'https://example.org/a.png', 'UTC', null]
  return kinds[[type].flat()[0] ?? ''] ?? fc.constantFrom(...texts)
}

const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(true, null, 0, -1, 3.5, 2 ** 53, 1e308),
  referenceTo('accounts'),
  texts,
  fc.array(fc.record({ prefix: texts, suffix: texts }, { requiredKeys: [] }), { maxLength: 3 }),
  fc.jsonValue({ maxDepth: 2 }),
)

function mostly(usual: string, other: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 9, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: other })
}

/** Encodes a segment of a path, except for placeholders. */
function encode(text: string): string {
  return text.startsWith('⟦') ? text : encodeURIComponent(text.toWellFormed())
}

export const attacks: fc.Arbitrary<Attack> = fc.oneof(...routes.map(attackRoute))
