import { describe, expect, test } from 'bun:test'
import { fillDefaults, type Level } from '../../src/model/entity'
import { member } from '../../src/model/member'
import { findChanges, findUndo, levelsOf, presets } from '../../src/web/app/privacyPresets'
import { countPrivate, redactForPublic } from '../../src/web/app/redact'
import type { Member, MemberLevel } from '../../src/web/app/types'

function someone(name: string, given: Partial<Record<MemberLevel, Level>> = {}): Member {
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
  ] as const)('%s sets every level', (preset, hidden) => {
    const levels = levelsOf(preset)
    expect(Object.keys(levels)).toEqual([...member.levels])
    expect(Object.values(levels).filter((level) => level === 'private').length).toBe(hidden)
  })

  test('Names only leaves name, pronouns and picture, and the member listed', () => {
    const open = Object.entries(levelsOf('names')).filter(([, level]) => level === 'public')
    expect(open.map(([level]) => level)).toEqual([
      'visibility',
      'name_privacy',
      'pronoun_privacy',
      'avatar_privacy',
    ])
  })

  test('only who changes is sent, and only what', () => {
    const all = [someone('Wren'), someone('Dot', levelsOf('hidden')), someone('Iris')]
    expect(findChanges(all, { visibility: 'private' })).toEqual([
      { id: 'uuid of Wren', privacy: { visibility: 'private' } },
      { id: 'uuid of Iris', privacy: { visibility: 'private' } },
    ])
  })

  test.each(presets)('the way back from %s restores each level', (preset) => {
    const all = [
      someone('Wren', { birthday_privacy: 'private' }),
      someone('Dot', levelsOf('names')),
      someone('Iris', { name_privacy: 'private', visibility: 'private' }),
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

describe('a stranger', () => {
  test('sees what no level hides, and no level', () => {
    const own = someone('Wren', { pronoun_privacy: 'private', name_privacy: 'private' })
    const seen = redactForPublic(member, own)
    expect(seen).toMatchObject({ id: 'wren', name: 'Somebody', pronouns: null, privacy: null })
    expect(countPrivate(member, own)).toBe(2)
  })
})
