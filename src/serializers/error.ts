import { type TProperties, Type } from '@sinclair/typebox'
import type { DomainError, Problems } from '../model/core/errors'
import { problemMessage, problemMessages } from '../model/core/problemMessages'
import type { Problem } from '../model/core/validation'
import { mapOf } from './schema'

/** Serializes an error. Only the extension API adds the codes of problems. */
export function serializeError(
  { message, code, problems, retryAfter }: DomainError,
  hasProblemCodes = false,
) {
  return {
    message,
    code,
    ...(problems && { errors: serializeProblems(problems, hasProblemCodes) }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  }
}

function serializeProblems(problems: Problems, hasCodes: boolean) {
  return Object.fromEntries(
    Object.entries(problems).map(([key, list]) => [
      key,
      list.map((problem) => serializeProblem(problem, hasCodes)),
    ]),
  )
}

function serializeProblem(problem: Problem, hasCode: boolean) {
  const { code, values } = problem
  const { max, actual } = values
  return {
    message: problemMessage(problem),
    ...(actual !== undefined && { max_length: max, actual_length: actual }),
    ...(hasCode && { code, values }),
  }
}

const problemFields = {
  message: Type.String(),
  max_length: Type.Optional(Type.Integer()),
  actual_length: Type.Optional(Type.Integer()),
}

/** Problem with the code that only the extension API has. */
const codedProblemFields = {
  ...problemFields,
  code: Type.Unsafe({ type: 'string', enum: Object.keys(problemMessages) }),
  values: mapOf(Type.Unknown(), 'Values in the message, such as the limit'),
}

function errorSchemaWith(problem: TProperties) {
  return Type.Object(
    {
      message: Type.String({ description: 'Human-readable message' }),
      code: Type.Integer({ description: 'Error code; 0 if the status is sufficient' }),
      errors: Type.Optional(
        mapOf(
          Type.Array(Type.Object(problem, { additionalProperties: false })),
          'Problems of the body, by key',
        ),
      ),
      retry_after: Type.Optional(
        Type.Integer({ description: 'Milliseconds to wait before a retry' }),
      ),
    },
    { additionalProperties: false },
  )
}

export const errorSchema = errorSchemaWith(problemFields)
export const extErrorSchema = errorSchemaWith(codedProblemFields)
