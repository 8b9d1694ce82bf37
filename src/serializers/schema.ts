import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import type { Entity } from '../model/core/entity'
import type { Field } from '../model/core/field'
import { redactionOf } from '../model/core/privacy'
import type { RawBody } from './body'

/** JSON Schemas of version 2, built from the field tables, for the API document and its tests. */

/** Schema of a body that updates or creates an entity. The field table validates actual bodies. */
export function bodySchema(
  entity: Entity,
  mode: 'patch' | 'draft',
  example = exampleOf(entity),
): TUnsafe<RawBody> {
  const fields = entity.entries.filter(([, field]) => !field.readonly)
  const properties = Object.fromEntries(
    fields.map(([key, field]) => [key, fieldSchema(field, field.nullable)]),
  )
  if (entity.levels.length > 0) properties.privacy = privacySchema(entity, 'request')
  const required = fields.filter(([, field]) => field.required).map(([key]) => key)
  return rawBody({
    type: 'object',
    ...(mode === 'draft' && required.length > 0 && { required }),
    properties,
    example,
  })
}

/** Builds an example body from the examples of the fields. */
export function exampleOf({ entries }: Entity): Record<string, unknown> {
  const withExamples = entries.filter(
    ([, { example, readonly }]) => example !== undefined && !readonly,
  )
  return Object.fromEntries(withExamples.map(([key, { example }]) => [key, example]))
}

/** Documents a body that its route receives as text; Elysia does not validate it. */
export function rawBody(schema: object): TUnsafe<RawBody> {
  return Type.Unsafe<RawBody>({ ...Type.Unknown(), ...schema })
}

/** Schema of a body that is an object of privacy levels. */
export function levelsBody(entity: Entity): TUnsafe<RawBody> {
  const { description, properties } = privacySchema(entity, 'request')
  return rawBody({
    type: 'object',
    description,
    properties,
    example: { visibility: 'private' },
  })
}

/** Short IDs that all examples share. */
export const EXAMPLE_MEMBER = 'uphsrt'
export const EXAMPLE_GROUP = 'kmwdaz'

/** Schema of a body that is a list of changes, each with the ID of its row. */
export function bulkBody(entity: Entity, id: string): TUnsafe<RawBody> {
  const { properties, example } = bodySchema(entity, 'patch')
  return rawBody({
    type: 'array',
    minItems: 1,
    maxItems: 1000,
    items: {
      type: 'object',
      required: ['id'],
      properties: { id: { type: 'string' }, ...properties },
    },
    example: [{ id, ...example }],
  })
}

/** Schema of a body that is a list of references. */
export function listBody(
  description: string,
  example: string[],
  maxItems?: number,
): TUnsafe<RawBody> {
  return rawBody({
    type: 'array',
    items: { type: 'string' },
    description,
    example,
    ...(maxItems && { maxItems }),
  })
}

/** Schema of a map, in the form that client generators support. */
export function mapOf(values: TSchema, description: string): TSchema {
  return Type.Object({}, { additionalProperties: values, description })
}

/** Schema of a response. Any value may be null for a caller that may not see it. */
export function responseSchema(entity: Entity, extra: Record<string, TSchema> = {}): TSchema {
  const properties: Record<string, TSchema> = {}
  if (entity.levels.length > 0) {
    properties.id = Type.String({ description: 'Short ID', pattern: '^[a-z]{5,6}$' })
    properties.uuid = Type.String({ format: 'uuid' })
  }
  const optional = new Set(Object.keys(extra))
  Object.assign(properties, extra)
  for (const [key, field] of entity.entries) {
    const hidden = redactionOf(field)
    properties[key] = fieldSchema(field, field.defaultValue === null || hidden === 'null')
    if (hidden === 'absent') optional.add(key)
  }
  if (entity.levels.length > 0) properties.privacy = privacySchema(entity, 'response')
  return Type.Unsafe({
    type: 'object',
    required: Object.keys(properties).filter((key) => !optional.has(key)),
    properties,
    additionalProperties: false,
  })
}

export function fieldSchema(field: Field, nullable: boolean): TSchema {
  const { type, ...rest } = field.schema
  return Type.Unsafe({
    type: nullable ? [type, 'null'] : type,
    ...rest,
    ...(rest.enum && nullable && { enum: [...rest.enum, null] }),
    description: field.doc,
    ...(field.example !== undefined && { example: field.example }),
  })
}

function privacySchema(entity: Entity, direction: 'request' | 'response'): TSchema {
  const isResponse = direction === 'response'
  const level = isResponse
    ? { type: 'string', enum: ['public', 'private'] }
    : { type: ['string', 'null'], enum: ['public', 'private', null] }
  return Type.Unsafe({
    type: ['object', 'null'],
    description: isResponse
      ? 'Privacy levels; null for callers other than the owner'
      : 'Privacy levels to change; null means public',
    properties: Object.fromEntries(entity.levels.map((name) => [name, level])),
    ...(isResponse && { required: entity.levels, additionalProperties: false }),
  })
}
