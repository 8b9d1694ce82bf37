import Ajv, { type ValidateFunction } from 'ajv'
import { describeServer } from '../src/app'
import { parseConfig } from '../src/config'

interface Operation {
  responses: Record<string, { content?: Record<string, Content> }>
}

interface Content {
  schema: object
  examples?: Record<string, { value: { code?: number } }>
}

interface Document {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, object>; parameters: Record<string, object> }
}

/** The document as it is served, read once for all tests. */
export const document: Document = (await describeServer(parseConfig({}))) as Document

// Formats are prose here; `example` and the like are OpenAPI's own words.
const ajv = new Ajv({ strict: false, validateFormats: false, allowUnionTypes: true })
ajv.addSchema({ $id: 'document', components: document.components })

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    method: method.toUpperCase(),
    pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
    // A path with fewer placeholders is the more exact one.
    placeholders: path.split('{').length,
    operation,
    validators: new Map<string, ValidateFunction>(),
  })),
)

/** Fails unless the documentation states this status for this route, with a schema that holds. */
export async function expectDocumented(
  method: string,
  path: string,
  status: number,
  json: unknown,
): Promise<void> {
  const [plain = ''] = path.split('?')
  const known = operations
    .filter((candidate) => isSamePath(candidate.pattern, plain))
    .toSorted((a, b) => a.placeholders - b.placeholders)
    .find((candidate) => candidate.method === (method === 'HEAD' ? 'GET' : method))
  // Whatever is no route at all (404, 405, a preflight) is nobody's documentation.
  if (!known) return
  const answer = known.operation.responses[status]
  if (!answer) throw new Error(`${method} ${path} answered ${status}, which is not documented`)
  const { schema, examples = {} } = answer.content?.['application/json'] ?? {}
  if (!schema || method === 'HEAD') return
  const { code = 0 } = (json ?? {}) as { code?: number }
  // 404 without a number says that nothing is there, not even a route.
  const isError = status >= 400 && !(status === 404 && code === 0)
  if (isError && !Object.values(examples).some(({ value }) => value.code === code))
    throw new Error(
      `${method} ${path} answered the error ${code}: add it to the errors of its describe({ … })`,
    )
  const key = String(status)
  let validate = known.validators.get(key)
  if (!validate) {
    validate = ajv.compile(pointingHome(schema))
    known.validators.set(key, validate)
  }
  if (!validate(json))
    throw new Error(
      `${method} ${path} answered ${status} unlike its documentation: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(json)}`,
    )
}

function isSamePath(pattern: RegExp, path: string): boolean {
  return pattern.test(path) || pattern.test(`/v2${path}`)
}

function pointingHome(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"document#/components'))
}
