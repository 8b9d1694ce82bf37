import { memberBody } from '../../src/dashboard/actions/memberForm'
import type { JsonObject } from '../../src/model/core/entity'
import { MAX_DESCRIPTION } from '../../src/model/members/member'
import { expect, test } from '../tools/test'

const short = 'a'.repeat(MAX_DESCRIPTION)
const long = `${short}b`

test.each<[what: string, patch: JsonObject, body: JsonObject]>([
  ['a name', { name: 'Wren' }, { member: { name: 'Wren' } }],
  [
    'a privacy level',
    { privacy: { visibility: 'private' } },
    { member: { privacy: { visibility: 'private' } } },
  ],
  [
    'a description that every client shows',
    { description: short },
    { member: { description: short }, about: null },
  ],
  ['a long description', { description: long }, { about: long }],
  [
    'a removed description',
    { name: 'Wren', description: null },
    { member: { name: 'Wren', description: null }, about: null },
  ],
  ['no notification of friends', { announce_front: false }, { announce_front: false }],
  ['a custom front', { custom_front: true }, { kind: 'custom_front' }],
  ['a member that was a custom front', { custom_front: false }, { kind: 'member' }],
  [
    'values of custom fields beside a name',
    { name: 'Wren', 'fields.one': 'tea', 'fields.two': null },
    { member: { name: 'Wren' }, fields: { one: 'tea', two: null } },
  ],
])('memberBody sends %s', (_, patch, body) => expect(memberBody(patch)).toEqual(body))
