import {
  findChanges,
  findUndo,
  levelsOf,
  presets,
} from '../../src/dashboard/actions/privacyPresets'
import type { Member, MemberLevel } from '../../src/dashboard/api/types'
import { countPrivate, redactForPublic } from '../../src/dashboard/features/privacy/redact'
import { fillDefaults, type Level } from '../../src/model/core/entity'
import { member } from '../../src/model/members/member'
import { describe, expect, test } from '../tools/test'

function createMember(name: string, given: Partial<Record<MemberLevel, Level>> = {}): Member {
  const values = fillDefaults(member, { name, display_name: 'Somebody', pronouns: 'she/her' })
  const privacy = Object.fromEntries(
    member.levels.map((level) => [level, given[level] ?? 'public']),
  ) as Record<MemberLevel, Level>
  return { ...values, id: name.toLowerCase(), uuid: `uuid of ${name}`, created: null, privacy }
}

describe('presets', () => {
  test.each([
    ['open', 0],
    ['names', 5],
    ['hidden', 9],
  ] as const)('the preset %s sets every level', (preset, hidden) => {
    const levels = levelsOf(preset)
    expect(Object.keys(levels)).toEqual([...member.levels])
    expect(Object.values(levels).filter((level) => level === 'private').length).toBe(hidden)
  })

  test('the preset "names" keeps name, pronouns, picture and listing public', () => {
    const open = Object.entries(levelsOf('names')).filter(([, level]) => level === 'public')
    expect(open.map(([level]) => level)).toEqual([
      'visibility',
      'name_privacy',
      'pronoun_privacy',
      'avatar_privacy',
    ])
  })

  test('findChanges returns only members and levels that differ', () => {
    const all = [
      createMember('Wren'),
      createMember('Dot', levelsOf('hidden')),
      createMember('Iris'),
    ]
    expect(findChanges(all, { visibility: 'private' })).toEqual([
      { id: 'uuid of Wren', privacy: { visibility: 'private' } },
      { id: 'uuid of Iris', privacy: { visibility: 'private' } },
    ])
  })

  test.each(presets)('findUndo restores every level after the preset %s', (preset) => {
    const all = [
      createMember('Wren', { birthday_privacy: 'private' }),
      createMember('Dot', levelsOf('names')),
      createMember('Iris', { name_privacy: 'private', visibility: 'private' }),
    ]
    const changes = findChanges(all, levelsOf(preset))
    const changed = all.map((one) => ({
      ...one,
      privacy: { ...one.privacy, ...changes.find(({ id }) => id === one.uuid)?.privacy },
    })) as Member[]
    const back = findUndo(all, changes)
    const restored = changed.map((one) => ({
      ...one,
      privacy: { ...one.privacy, ...back.find(({ id }) => id === one.uuid)?.privacy },
    }))
    expect<object[]>(restored).toEqual(all)
  })
})

describe('redactForPublic', () => {
  test('redactForPublic removes private fields and all levels', () => {
    const own = createMember('Wren', { pronoun_privacy: 'private', name_privacy: 'private' })
    const redacted = redactForPublic(member, own)
    expect(redacted).toMatchObject({ id: 'wren', name: 'Somebody', pronouns: null, privacy: null })
    expect(countPrivate(member, own)).toBe(2)
  })

  test('countPrivate does not count a private name that nothing replaces', () => {
    const levels = { pronoun_privacy: 'private', name_privacy: 'private' } as const
    const own = { ...createMember('Wren', levels), display_name: null }
    expect(countPrivate(member, own)).toBe(1)
  })
})
