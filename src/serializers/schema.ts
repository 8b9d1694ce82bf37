import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox'
import type { Entity } from '../model/entity'
import { type Field, redactionOf } from '../model/field'
import type { RawBody } from './body'

/** JSON Schemas of the v2 spelling, made from the field tables: for documentation and its test. */

/** What is sent to change one, or to make one. The field table itself checks what arrives. */
export function bodySchema(
  entity: Entity,
  mode: 'patch' | 'draft',
  example = exampleOf(entity),
): TUnsafe<RawBody> {
  const fields = entity.entries.filter(([, field]) => !field.readonly)
  const properties = Object.fromEntries(
    fields.map(([key, field]) => [key, fieldSchema(field, field.nullable)]),
  )
  if (entity.levels.length > 0) properties.privacy = privacySchema(entity, 'sent')
  const required = fields.filter(([, field]) => field.required).map(([key]) => key)
  return rawBody({
    type: 'object',
    ...(mode === 'draft' && required.length > 0 && { required }),
    properties,
    example,
  })
}

/** A body made of what the fields show of themselves. */
export function exampleOf({ entries }: Entity): Record<string, unknown> {
  const telling = entries.filter(([, { example, readonly }]) => example !== undefined && !readonly)
  return Object.fromEntries(telling.map(([key, { example }]) => [key, example]))
}

/** Documents a body that reaches its route as text: to Elysia it may be anything. */
export function rawBody(schema: object): TUnsafe<RawBody> {
  return Type.Unsafe<RawBody>({ ...Type.Unknown(), ...schema })
}

/** A body that is a bare object of privacy levels. */
export function levelsBody(entity: Entity): TUnsafe<RawBody> {
  const { description, properties } = privacySchema(entity, 'sent')
  return rawBody({
    type: 'object',
    description,
    properties,
    example: { visibility: 'private' },
  })
}

/** The short IDs of bodies that are shown, so that they look alike everywhere. */
export const EXAMPLE_MEMBER = 'uphsrt'
export const EXAMPLE_GROUP = 'kmwdaz'

/** A body that is a list of changes, each with the one that it is about. */
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

/** A body that is a bare list of references. */
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

/** Any keys with values of one kind, in the words that generators of clients understand. */
export function mapOf(values: TSchema, description: string): TSchema {
  return Type.Object({}, { additionalProperties: values, description })
}

/** What is answered. Any value may be null for a caller who may not see it. */
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
  if (entity.levels.length > 0) properties.privacy = privacySchema(entity, 'shown')
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

function privacySchema(entity: Entity, direction: 'sent' | 'shown'): TSchema {
  const shown = direction === 'shown'
  const level = shown
    ? { type: 'string', enum: ['public', 'private'] }
    : { type: ['string', 'null'], enum: ['public', 'private', null] }
  return Type.Unsafe({
    type: ['object', 'null'],
    description: shown
      ? 'Privacy levels; null for everyone but the owner'
      : 'Only the given levels change; null stores public',
    properties: Object.fromEntries(entity.levels.map((name) => [name, level])),
    ...(shown && { required: entity.levels, additionalProperties: false }),
  })
}
