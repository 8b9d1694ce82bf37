import type { Snapshot } from '../../../src/formats/pluralkit/write'
import { writePluralport } from '../../../src/formats/pluralport/write'
import { settings } from '../../../src/model/settings'
import { system } from '../../../src/model/system'
import { expect, test } from '../../test'

const UUID = '9a7f3c1e-5b2d-4c8a-9e6f-0123456789ab'
const at = '2026-01-01T09:00:00Z'

const rows = {
  front_notes: { id: UUID, kind: 'status', member: UUID, at, text: 'at work' },
  posts: { id: UUID, room: UUID, text: 'Milk', written: at },
  origins: { app: 'example', collection: 'notes', id: 'n1', target: UUID },
}

test.each(Object.entries(rows))('writes a piece for every row of %s', async (name, row) => {
  let parsed = 0
  /** Counts the rows that were taken from the list. */
  class Counted extends Array<string> {
    override *[Symbol.iterator]() {
      for (let index = 0; index < this.length; index++) {
        parsed += 1
        yield this[index] ?? ''
      }
      return undefined
    }
  }
  const list = Counted.from(Array.from({ length: 500 }, () => JSON.stringify(row)))
  parsed = 0
  const snapshot = {
    exportedAt: 0,
    system: { ...system.defaults, uuid: UUID, hid: 'lanter' },
    settings: settings.defaults,
    ...{ accounts: [], members: [], groups: [], switches: [], kept: [] },
    ...{ systemGuilds: [], memberGuilds: [], autoproxy: [], preferences: null },
    ext: { head: { version: 1 }, lists: new Map([[name, list]]) },
  } as unknown as Snapshot
  let [before, most, text] = [0, 0, '']
  for await (const piece of writePluralport(snapshot)) {
    most = Math.max(most, parsed - before)
    before = parsed
    text += piece
  }
  expect(most).toBe(1)
  expect(JSON.parse(text).systems).toHaveLength(1)
})
