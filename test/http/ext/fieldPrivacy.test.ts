import { createFixture, type Json } from '../../tools/scenarios'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { type Caller, callers, headersOf, isOwnerCaller } from './callers'

const testApp = createTestApp({ RATE_LIMIT: 'off' })

type Level = 'public' | 'private'
const levels: readonly Level[] = ['public', 'private']

interface Privacy {
  /** Privacy of the field. */
  field: Level
  /** `visibility` of the member. */
  member: Level
  /** `member_list_privacy` of the system. */
  list: Level
}

/** Reads that may show the field or its value. */
const reads = {
  members: 'GET /ext/v1/systems/<own>/members',
  'members of a kind': 'GET /ext/v1/systems/<own>/members?kind=member',
  member: 'GET /ext/v1/members/<wren>',
  fields: 'GET /ext/v1/systems/<own>/fields',
}

/** Every privacy of field, member and list. */
const cells = levels.flatMap((field) =>
  levels.flatMap((member) => levels.map((list) => ({ field, member, list }))),
)

const DENIED = { status: 403, code: 30001 }

/** Answer for a caller: the values of Wren, the names of the fields, or an error. */
function expected(read: string, caller: Caller, { field, member, list }: Privacy): unknown {
  const isOwner = isOwnerCaller(caller)
  const value = isOwner || field === 'public' ? { '<role>': 'Keeper' } : {}
  if (read === 'member') return isOwner || member === 'public' ? value : {}
  if (!isOwner && list === 'private') return DENIED
  if (read === 'fields') return isOwner || field === 'public' ? ['Role'] : []
  return isOwner || member === 'public' ? value : 'not listed'
}

/** Reduces a response to what is compared. */
function shown(read: string, status: number, json: unknown, wren: string): unknown {
  if (status !== 200) return { status, code: (json as Json).code }
  if (read === 'fields') return (json as Json[]).map(({ name }) => name)
  const all = (read === 'member' ? [json] : json) as { member: { uuid: string }; fields: Json }[]
  return all.find(({ member }) => member.uuid === wren)?.fields ?? 'not listed'
}

describe.each(cells)(
  'a $field field of a $member member in a $list list',
  ({ field, member, list }) => {
    const opposite = (level: Level): Level => (level === 'public' ? 'private' : 'public')

    test(`a ${field} field of a ${member} member in a ${list} list is shown to the right callers`, async () => {
      const fixture = await createFixture(testApp)
      const { id } = await fixture.do('POST /ext/v1/systems/@me/fields', {
        name: 'Role',
        type: 'text',
        privacy: opposite(field),
      })
      fixture.remember('role', id)
      await fixture.do('PATCH /ext/v1/members/<wren>', {
        member: { privacy: { visibility: opposite(member) } },
        fields: { '<role>': 'Keeper' },
      })
      // Rendered JSON of the former privacy must not be sent afterwards.
      await fixture.get('GET /ext/v1/members/<wren>', 'anonymous')
      await fixture.do('PATCH /ext/v1/fields/<role>', { privacy: field })
      await fixture.do('PATCH /v2/members/<wren>', { privacy: { visibility: member } })
      await fixture.do('PATCH /v2/systems/@me', { privacy: { member_list_privacy: list } })

      const found: unknown[] = []
      const wanted: unknown[] = []
      for (const caller of callers) {
        const headers = await headersOf(fixture, caller)
        for (const [read, line] of Object.entries(reads)) {
          const { status, json } = await testApp.ask(fixture.fill(line), { headers })
          found.push([caller, read, shown(read, status, json, fixture.wren.uuid)])
          wanted.push([caller, read, fixture.fill(expected(read, caller, { field, member, list }))])
        }
      }
      expect(found).toEqual(wanted)
    })
  },
)
