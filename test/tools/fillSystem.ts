import type { Database } from 'bun:sqlite'

/** Time of the first switch. */
export const START = Date.UTC(2020, 0, 1) * 1000

/**
 * Adds a long history to a system with two members: the first is in every switch and has all
 * messages, the second is in every other switch. Requests would take an hour.
 */
export function fillSystem(database: Database, system: number, size: number): void {
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < $size - 1)`
  const wren = `(SELECT min(id) FROM members WHERE system_id = $system)`
  const ash = `(SELECT max(id) FROM members WHERE system_id = $system)`
  const rows: [into: string, from: string][] = [
    [
      'switches (uuid, system_id, timestamp)',
      `printf('0000000%d-0000-4000-8000-%012d', $system % 10, $system * 1000000 + i), $system, ${START} + i * 1000000 FROM n`,
    ],
    [
      'messages (id, original, sender, channel, system_id, member_id, timestamp)',
      `700000000000000000 + $system * 1000000 + i, 800000000000000000 + $system * 1000000 + i, 1, 2, $system, ${wren}, ${START} + i FROM n`,
    ],
    [
      'events (system_id, type, at)',
      `$system, 'UPDATE_SYSTEM', ${START} + i FROM n WHERE i < $size / 10`,
    ],
    [
      'import_archive (system_id, collection, content, digest)',
      `$system, 'notes', '{}', i FROM n WHERE i < $size / 10`,
    ],
  ]
  const values = { $system: system, $size: size }
  const insert = (into: string, from: string) =>
    database.query(`INSERT INTO ${into} ${numbers} SELECT ${from}`).run(values)
  database.transaction(() => {
    for (const [into, from] of rows) insert(into, from)
    const ofSystem = `FROM switches WHERE system_id = $system`
    const add = 'INSERT INTO switch_members (switch_id, position, member_id)'
    database.query(`${add} SELECT id, 0, ${wren} ${ofSystem}`).run({ $system: system })
    database
      .query(`${add} SELECT id, 1, ${ash} ${ofSystem} AND timestamp / 1000000 % 2`)
      .run({ $system: system })
    database.query(`UPDATE members SET message_count = $size WHERE id = ${wren}`).run(values)
  })()
}
