import type { Entity } from '../../src/model/entity'
import { customField } from '../../src/model/ext/customField'
import { fronter } from '../../src/model/ext/fronter'
import { groupExt } from '../../src/model/ext/groupExt'
import { memberExt } from '../../src/model/ext/memberExt'
import type { Field } from '../../src/model/field'
import { group } from '../../src/model/group'
import { member } from '../../src/model/member'
import { redact } from '../../src/model/privacy'
import { system } from '../../src/model/system'
import { describe, expect, test } from '../test'

/** Privacy levels whose fields friends do not see, as the contract names them. */
const hiddenFromFriends = ['proxy_privacy', 'metadata_privacy']

/** Keys that objects for friends lack. */
const absentForFriends = [
  'archived',
  'archived_at',
  'archived_reason',
  'announce_front',
  'buckets',
  'webhook_url',
]

const entities: Entity[] = [system, member, group, memberExt, groupExt, customField, fronter]

const cells = entities.flatMap((entity) =>
  entity.entries.flatMap(([key, field]) =>
    (['public', 'private'] as const).map((level) => ({
      title: `${entity.name}.${key}`,
      entity,
      key,
      field,
      level,
    })),
  ),
)

const partOf = (name: string | undefined, to: string) => (name ? { [name]: `part for ${to}` } : {})

/** Row with a value in each field, all of whose levels are the given one. */
function rowOf(entity: Entity, key: string, field: Field, level: string) {
  const guards = entity.entries.flatMap(([, { guard }]) => (guard ? [[guard, level]] : []))
  return {
    ...Object.fromEntries(entity.entries.map(([name]) => [name, `value of ${name}`])),
    ...Object.fromEntries([...entity.levels.map((name) => [name, level]), ...guards]),
    [key]: 'shown',
    ...partOf(field.publicPart, 'others'),
    ...partOf(field.friendPart, 'friends'),
    uuid: 'uuid',
    hid: 'hid',
  }
}

function valueForFriends(key: string, field: Field): unknown {
  if (absentForFriends.includes(key)) return undefined
  if (field.ownerOnly === 'null') return null
  if (field.publicPart) return 'part for friends'
  if (!field.guard || !hiddenFromFriends.includes(field.guard)) return 'shown'
  return Array.isArray(field.defaultValue) ? [] : null
}

describe('redact for a friend', () => {
  test.each(cells)('$title with level $level', ({ entity, key, field, level }) => {
    const row = rowOf(entity, key, field, level)
    const seen: Record<string, unknown> = redact(entity, row as never, 'friend')
    expect(seen[key]).toEqual(valueForFriends(key, field))
    const own: Record<string, unknown> = redact(entity, row as never, 'owner')
    expect(own[key]).toBe('shown')
  })

  test.each(entities)('shows no privacy level of a $name', (entity) => {
    const row = Object.fromEntries(entity.levels.map((level) => [level, 'public']))
    const seen = redact(entity, row as never, 'friend')
    for (const level of entity.levels) expect(seen).not.toHaveProperty(level)
  })

  test('every field with a part for other callers has one for friends', () => {
    for (const { entries } of entities)
      for (const [, { publicPart, friendPart }] of entries)
        expect(friendPart === undefined).toBe(publicPart === undefined)
  })
})
