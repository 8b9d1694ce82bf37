import { Type } from '@sinclair/typebox'
import type { DomainError } from '../model/errors'
import { mapOf } from './schema'

/** The error object, alike on every wire. */
export function serializeError({ message, code, problems, retryAfter }: DomainError) {
  return {
    message,
    code,
    ...(problems && { errors: problems }),
    ...(retryAfter !== undefined && { retry_after: retryAfter }),
  }
}

export const errorSchema = Type.Object(
  {
    message: Type.String({ description: 'What went wrong, in words' }),
    code: Type.Integer({ description: 'Number of the error; 0 where the status says it all' }),
    errors: Type.Optional(
      mapOf(
        Type.Array(
          Type.Object(
            {
              message: Type.String(),
              max_length: Type.Optional(Type.Integer()),
              actual_length: Type.Optional(Type.Integer()),
            },
            { additionalProperties: false },
          ),
        ),
        'Every problem of the body, by key',
      ),
    ),
    retry_after: Type.Optional(
      Type.Integer({ description: 'Milliseconds until the next request is welcome' }),
    ),
  },
  { additionalProperties: false },
)
