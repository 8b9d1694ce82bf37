import Ajv, { type ValidateFunction } from 'ajv'
import { describeServer } from '../../src/app/app'
import { parseConfig } from '../../src/runtime/config/config'

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

/** API document as it is served, built once for all tests. */
export const document: Document = (await describeServer(parseConfig({}))) as Document

/** Lines of all documented endpoints, such as `GET /v2/members/{memberRef}`. */
export const documentedLines = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
)

// Formats are documentation only; `example` and the like are keywords of OpenAPI.
const ajv = new Ajv({
  strict: false,
  validateFormats: false,
  // Compiling hundreds of schemas takes longer than validating with code that is not optimized.
  code: { optimize: false },
  validateSchema: false,
})
ajv.addSchema({ $id: 'document', components: document.components })

/** Validators by the text of their schema, because most responses share one of a few. */
const validatorsByText = new Map<string, ValidateFunction>()

// A path with fewer placeholders is more specific.
const operations = Object.entries(document.paths)
  .toSorted(([a], [b]) => a.split('{').length - b.split('{').length)
  .flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      pattern: new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}/?$`),
      operation,
      validators: new Map<string, ValidateFunction>(),
    })),
  )

/** Fails unless the document has this status for this route, with a schema that the JSON matches. */
export async function expectDocumented(
  method: string,
  path: string,
  status: number,
  json: unknown,
): Promise<void> {
  const [plain = ''] = path.split('?')
  const documented = method === 'HEAD' ? 'GET' : method
  const match = findOperation(documented, plain)
  // Responses without a route (404, 405, a preflight) are not documented.
  if (!match) return
  const response = match.operation.responses[status]
  if (!response) throw new Error(`${method} ${path} answered ${status}, which is not documented`)
  const { schema, examples = {} } = response.content?.['application/json'] ?? {}
  if (!schema || method === 'HEAD') return
  const { code = 0 } = (json ?? {}) as { code?: number }
  // A 404 without a code may mean that there is no route.
  const isError = status >= 400 && !(status === 404 && code === 0)
  if (isError && !Object.values(examples).some(({ value }) => value.code === code))
    throw new Error(
      `${method} ${path} answered the error ${code}: add it to the errors of its describe({ … })`,
    )
  const key = String(status)
  let validate = match.validators.get(key)
  if (!validate) {
    validate = validatorOf(schema)
    match.validators.set(key, validate)
  }
  if (!validate(json))
    throw new Error(
      `${method} ${path} answered ${status} unlike its documentation: ${ajv.errorsText(validate.errors)}\n${JSON.stringify(json)}`,
    )
}

/** Finds the operation of a path; paths without a version are those of v2. */
export function findOperation(method: string, path: string) {
  return operations.find(
    (candidate) => candidate.method === method && isSamePath(candidate.pattern, path),
  )
}

function isSamePath(pattern: RegExp, path: string): boolean {
  return pattern.test(path) || pattern.test(`/v2${path}`)
}

function validatorOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components', '"document#/components')
  const known = validatorsByText.get(text)
  if (known) return known
  const validate = ajv.compile(JSON.parse(text))
  validatorsByText.set(text, validate)
  return validate
}
