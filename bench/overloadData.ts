import { Database } from 'bun:sqlite'
import { hashSecret } from '../src/store/access/secrets'
import { hidOf, known, uuidOf } from './data'

/** Systems of the data set that loads use. Those of the writers are others. */
const LONG_TEXTS = 60
const FRIENDS = [61, 62, 63, 64, 65]
const MEMBERS = 1000
const FRIEND_MEMBERS = 150

/** Public system whose members have the longest descriptions that are allowed: 60 MB. */
export const longTexts = {
  hid: hidOf(LONG_TEXTS),
  token: 'bench-long-texts',
  /** Name that the big system gave it as a friend. */
  friend: String(LONG_TEXTS),
}

/** Friends of the big system, each with the references of its members. */
export const friends = FRIENDS.map((system) => ({
  system,
  token: `bench-friend-${system}`,
  members: Array.from({ length: FRIEND_MEMBERS }, (_, at) => hidOf(newMember(system, at))),
}))

/** Row IDs of added members are above those of the data set. */
function newMember(system: number, at: number): number {
  return system * 100_000 + at
}

/** Fills systems up to the limits of the extension API, in a database that no server has open. */
export function fillToLimits(file: string): void {
  const db = new Database(file)
  db.run('PRAGMA synchronous = off')
  db.run('PRAGMA foreign_keys = off')
  db.run('BEGIN')
  const addToken = db.prepare(
    'INSERT INTO tokens (system_id, name, hash, created) VALUES (?, ?, ?, 0)',
  )
  addToken.run(LONG_TEXTS, 'overload', hashSecret(longTexts.token))
  addMembers(db, LONG_TEXTS, MEMBERS)
  const about = '語'.repeat(20_000)
  const addAbout = db.prepare('INSERT INTO member_ext (member_id, about) VALUES (?, ?)')
  for (let at = 0; at < MEMBERS; at++) addAbout.run(newMember(LONG_TEXTS, at), about)
  for (const { system, token } of friends) {
    addToken.run(system, 'overload', hashSecret(token))
    addMembers(db, system, FRIEND_MEMBERS)
  }
  addPolls(db)
  addFrontNotes(db)
  addPosts(db)
  addNotes(db)
  db.run(
    'INSERT INTO ext_usage (system_id, text_bytes, front_notes, notes, posts) VALUES (1, 0, 200000, 660, 200000)',
  )
  db.run('COMMIT')
  db.run('ANALYZE')
  db.close()
}

function addMembers(db: Database, system: number, count: number): void {
  const add = db.prepare(
    'INSERT INTO members (id, uuid, hid, system_id, name, created) VALUES (?, ?, ?, ?, ?, 0)',
  )
  for (let at = 0; at < count; at++) {
    const id = newMember(system, at)
    add.run(id, uuidOf(2, id), hidOf(id), system, `Member ${at}`)
  }
}

/** 1,000 polls with a vote of each of 1,000 members. */
function addPolls(db: Database): void {
  const options = ['yes', 'no'].map((name, at) => ({ id: uuidOf(6, at), name, color: null }))
  const addPoll = db.prepare(
    'INSERT INTO polls (id, uuid, system_id, name, options, created) VALUES (?, ?, 1, ?, ?, ?)',
  )
  const addVotes = db.prepare(
    `INSERT INTO poll_votes (poll_id, member_id, option_id, comment, created)
     SELECT ?, id, ?, 'finally', 0 FROM members WHERE system_id = 1 LIMIT 1000`,
  )
  for (let at = 0; at < 1000; at++) {
    addPoll.run(at + 1, uuidOf(5, at), `Poll ${at}`, JSON.stringify(options), at)
    addVotes.run(at + 1, options[at % 2]?.id ?? '')
  }
}

/** 200,000 statuses and no comment. */
function addFrontNotes(db: Database): void {
  const add = db.prepare(
    `INSERT INTO front_notes (uuid, system_id, kind, member_id, at, text, created)
     VALUES (?, 1, 'status', ?, ?, 'at work', 0)`,
  )
  for (let at = 0; at < 200_000; at++) add.run(uuidOf(7, at), 1 + (at % 1000), at * 1000)
}

/** 200,000 unread posts for members. */
function addPosts(db: Database): void {
  const add = db.prepare(
    `INSERT INTO posts (uuid, system_id, for_member, by_member, text, written, read)
     VALUES (?, 1, ?, 1, 'Hello', ?, 0)`,
  )
  for (let at = 0; at < 200_000; at++) add.run(uuidOf(8, at), 1 + (at % 1000), at * 1000)
}

/** 660 notes of 100,000 characters. */
function addNotes(db: Database): void {
  const add = db.prepare(
    `INSERT INTO notes (uuid, system_id, title, text, date, pinned, created)
     VALUES (?, 1, ?, ?, ?, 0, 0)`,
  )
  const text = 'A quiet morning by the harbour. '.repeat(3125)
  for (let at = 0; at < 660; at++) add.run(uuidOf(9, at), `Note ${at}`, text, at * 1000)
}

/** Makes friends of the big system and lets each see everything. */
export async function makeFriends(address: string, file: string): Promise<void> {
  const ask = async (token: string, line: string, body: object) => {
    const [method = '', path] = line.split(' ')
    const response = await fetch(`${address}${path}`, {
      method,
      headers: { authorization: token },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${line}: ${response.status} ${await response.text()}`)
    return (await response.json()) as Record<string, string>
  }
  const sharing = { see_front: true, see_members: true }
  const shared = [...friends, { system: LONG_TEXTS, token: longTexts.token }]
  for (const { system, token } of shared) {
    const { code } = await ask(token, 'POST /ext/v1/friends/invites', { share: sharing })
    await ask(known.bigToken, 'POST /ext/v1/friends', { code, name: `${system}`, share: sharing })
  }
  const db = new Database(file)
  // The server may be writing.
  db.run('PRAGMA busy_timeout = 5000')
  for (const { system } of shared)
    db.run(
      `INSERT INTO bucket_members SELECT buckets.id, members.id FROM buckets, members
       WHERE buckets.system_id = ${system} AND members.system_id = ${system} AND buckets.position = 0`,
    )
  db.close()
}
