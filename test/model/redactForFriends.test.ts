import type { Entity } from '../../src/model/core/entity'
import type { Field } from '../../src/model/core/field'
import { redact } from '../../src/model/core/privacy'
import { fronter } from '../../src/model/front/fronter'
import { group } from '../../src/model/groups/group'
import { groupExt } from '../../src/model/groups/groupExt'
import { customField } from '../../src/model/members/customField'
import { member } from '../../src/model/members/member'
import { memberExt } from '../../src/model/members/memberExt'
import { system } from '../../src/model/systems/system'
import { describe, expect, test } from '../tools/test'

/** Privacy levels that hide their fields from friends as well, as the contract names them. */
const levelsForFriends = ['proxy_privacy', 'metadata_privacy']

/** Keys of a fronter that a friend sees who sees no members, as the contract names them. */
const shownInFront = ['name', 'display_name', 'pronouns', 'avatar_url', 'color']

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

const emptyOf = ({ defaultValue }: Field) => (Array.isArray(defaultValue) ? [] : null)

function valueForFriends(key: string, field: Field, level: string): unknown {
  if (absentForFriends.includes(key)) return undefined
  if (field.ownerOnly === 'null') return null
  if (field.publicPart) return 'part for friends'
  const isShown = level === 'public' || !levelsForFriends.includes(field.guard ?? '')
  return isShown ? 'shown' : emptyOf(field)
}

describe('redact for a friend', () => {
  test.each(cells)('$title with level $level', ({ entity, key, field, level }) => {
    const row = rowOf(entity, key, field, level)
    const seen: Record<string, unknown> = redact(entity, row as never, 'friend')
    expect(seen[key]).toEqual(valueForFriends(key, field, level))
    const own: Record<string, unknown> = redact(entity, row as never, 'owner')
    expect(own[key]).toBe('shown')
  })

  test.each(cells.filter(({ entity }) => entity === member))(
    '$title with level $level in the front, if members are not shown',
    ({ entity, key, field, level }) => {
      const row = rowOf(entity, key, field, level)
      const seen: Record<string, unknown> = redact(entity, row as never, 'friend of the front')
      expect(seen[key]).toEqual(shownInFront.includes(key) ? 'shown' : emptyOf(field))
    },
  )

  test.each(
    entities.flatMap((entity) =>
      (['friend', 'friend of the front'] as const).map((to) => [entity.name, to, entity] as const),
    ),
  )('shows no privacy level of a %s to a %s', (_, to, entity) => {
    const row = Object.fromEntries(entity.levels.map((level) => [level, 'public']))
    const seen = redact(entity, row as never, to)
    for (const level of entity.levels) expect(seen).not.toHaveProperty(level)
  })

  test('every field with a part for other callers has one for friends', () => {
    for (const { entries } of entities)
      for (const [, { publicPart, friendPart }] of entries)
        expect(friendPart === undefined).toBe(publicPart === undefined)
  })
})
