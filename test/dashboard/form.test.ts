import {
  beginDraft,
  changedElsewhere,
  changedKeys,
  patchOf,
  problemsOf,
  resolveConflict,
  setValue,
} from '../../src/dashboard/core/form'
import { loadRestOfStrings, loadStrings } from '../../src/dashboard/texts/texts'
import { fillDefaults } from '../../src/model/core/entity'
import { member } from '../../src/model/members/member'
import { describe, expect, test } from '../tools/test'

await loadStrings('en')
await loadRestOfStrings()

const privacy = Object.fromEntries(member.levels.map((level) => [level, 'public']))
const wren = {
  ...fillDefaults(member, { name: 'Wren', pronouns: 'she/her' }),
  uuid: 'wren',
  privacy,
}
const draft = beginDraft(member, wren)

describe('patchOf', () => {
  test.each<[string, unknown, Record<string, unknown>]>([
    ['pronouns', 'they/them', { pronouns: 'they/them' }],
    ['pronouns', '', { pronouns: null }],
    ['pronouns', 'she/her', {}],
    ['description', '', {}],
    ['color', 'D88B4A', { color: 'd88b4a' }],
    ['proxy_tags', [{ prefix: '', suffix: '' }], {}],
    [
      'proxy_tags',
      [{ prefix: 'w:', suffix: '' }],
      { proxy_tags: [{ prefix: 'w:', suffix: null }] },
    ],
    ['keep_proxy', true, { keep_proxy: true }],
    ['visibility', 'private', { privacy: { visibility: 'private' } }],
  ])('patchOf sends %s, typed as %p, as the patch %p', (key, value, patch) => {
    const changed = setValue(draft, key, value)
    expect(patchOf(member, changed)).toEqual(patch)
    expect(changedKeys(member, changed).length > 0).toBe(Object.keys(patch).length > 0)
  })
})

describe('problemsOf', () => {
  test('problemsOf returns the message of the field table for each invalid field', () => {
    const typed = setValue(setValue(draft, 'name', 'x'.repeat(101)), 'color', 'mauve')
    expect(problemsOf(member, typed)).toEqual({
      name: 'Too long: at most 100 characters.',
      color: 'Must be six hexadecimal digits, without “#”.',
    })
    expect(problemsOf(member, draft)).toEqual({})
  })
})

describe('changedElsewhere', () => {
  const theirs = { ...wren, name: 'Wren the Great', privacy: { ...privacy, visibility: 'private' } }

  test('changedElsewhere lists fields that another client changed, also if they were not edited here', () => {
    expect(changedElsewhere(member, draft, theirs)).toEqual(['name', 'visibility'])
  })

  test('changedElsewhere omits a field that was edited to the same value', () => {
    const same = setValue(draft, 'name', 'Wren the Great')
    expect(changedElsewhere(member, same, theirs)).toEqual(['visibility'])
  })

  test('resolveConflict takes the other value, or keeps the typed one as a change', () => {
    const typed = setValue(draft, 'name', 'Wrenna')
    const taken = resolveConflict(member, typed, theirs, 'name', 'theirs')
    expect(taken.values.name).toBe('Wren the Great')
    expect(changedKeys(member, taken)).toEqual([])
    const kept = resolveConflict(member, typed, theirs, 'name', 'mine')
    expect(patchOf(member, kept)).toEqual({ name: 'Wrenna' })
    expect(changedElsewhere(member, kept, theirs)).toEqual(['visibility'])
  })
})
