import { Type } from '@sinclair/typebox'
import type { DomainError } from '../model/core/errors'
import { mapOf } from './schema'

/** Serializes an error, in the same way for every API version. */
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
    message: Type.String({ description: 'Human-readable message' }),
    code: Type.Integer({ description: 'Error code; 0 if the status is sufficient' }),
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
        'Problems of the body, by key',
      ),
    ),
    retry_after: Type.Optional(
      Type.Integer({ description: 'Milliseconds to wait before a retry' }),
    ),
  },
  { additionalProperties: false },
)
