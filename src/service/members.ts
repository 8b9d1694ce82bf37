import { and, count, eq, sql } from 'drizzle-orm'
import { storeFaces } from '../db/faces'
import type { Db } from '../db/handle'
import { prepared } from '../db/prepared'
import { createUpdater } from '../db/rows'
import { autoproxies, members } from '../db/tables'
import { changesOf, fillDefaults, type Identity } from '../model/entity'
import { error } from '../model/errors'
import { type Member, type MemberDraft, type MemberPatch, member } from '../model/member'
import { isOwner, passGate, requireSystem, type Seen, see, type Viewer } from '../model/privacy'
import { parseRef } from '../model/ref'
import type { System } from '../model/system'
import type { Deps } from './deps'
import { type GivenIdentity, identified } from './identity'
import { tell } from './outbox'
import { withDefaultPrivacy } from './privacyDefaults'
import { indexTags, tagSetOf } from './proxy/tagKeys'
import { getSettings } from './settings'
import { actAs } from './systems'

/** A member of any system, as this viewer may see it. */
export async function seeMember(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Seen<typeof member>> {
  const found = await getMember(db, ref)
  return see(member, found, isOwner(viewer, found.system_id))
}

/** The caller as the system that a member is of. */
export async function actForMember({ db }: Deps, viewer: Viewer, ref: string): Promise<Viewer> {
  const { system_id } = await getMember(db, ref)
  return actAs(db, viewer, system_id)
}

export async function getMember(db: Db, ref: string): Promise<Member> {
  const found = await findMember(db, ref)
  if (!found) throw error('memberNotFound')
  return found
}

/** As getMember, for the caller's own members only. */
export async function getOwnMember(deps: Deps, viewer: Viewer, ref: string): Promise<Member> {
  requireSystem(viewer)
  const found = await getMember(deps.db, ref)
  if (!isOwner(viewer, found.system_id)) throw error('notYourMember')
  return found
}

/** The members of a system that this viewer may list. */
export async function listMembers({ db }: Deps, viewer: Viewer, of: System): Promise<Member[]> {
  const owner = isOwner(viewer, of.id)
  passGate('members', of, owner)
  return await (owner ? everyone(db) : visible(db)).all({ system: of.id })
}

export async function createMember(
  deps: Deps,
  viewer: Viewer,
  draft: MemberDraft,
): Promise<Member> {
  const systemId = requireSystem(viewer)
  return deps.transact(async (tx) => {
    const settings = await getSettings(tx, systemId)
    if ((await countMembers(tx, systemId)) >= settings.member_limit) throw error('memberLimit')
    const isPrivate = viewer.platform !== null && settings.member_default_private
    const given = isPrivate ? withDefaultPrivacy(member, draft) : draft
    const made = await insertMember(tx, systemId, { ...given, created: deps.now() })
    await tell(tx, deps.now(), {
      system_id: systemId,
      type: 'CREATE_MEMBER',
      subject: made.uuid,
      data: given,
    })
    return made
  })
}

export async function patchMember(
  deps: Deps,
  viewer: Viewer,
  ref: string,
  patch: MemberPatch,
): Promise<Member> {
  requireSystem(viewer)
  const place = await stored.locate(deps.db, ref)
  if (!place) throw error('memberNotFound')
  if (!isOwner(viewer, place.system_id)) throw error('notYourMember')
  return deps.transact(async (tx) => {
    const before = await stored.findById(tx, place.id)
    if (!before) throw error('memberNotFound')
    const changed = changesOf<typeof member>(before, patch)
    if (Object.keys(changed).length === 0) return before
    await tell(tx, deps.now(), {
      system_id: before.system_id,
      type: 'UPDATE_MEMBER',
      subject: before.uuid,
      data: changed,
    })
    return updateMember(tx, before, changed)
  })
}

export async function deleteMember(deps: Deps, viewer: Viewer, ref: string): Promise<void> {
  const { id, uuid, system_id } = await getOwnMember(deps, viewer, ref)
  await deps.transact(async (tx) => {
    await releaseAutoproxy(deps, tx, system_id, id)
    const gone = await tx
      .delete(members)
      .where(eq(members.id, id))
      .returning({ id: members.id })
      .all()
    if (gone.length === 0) throw error('memberNotFound')
    await tell(tx, deps.now(), { system_id, type: 'DELETE_MEMBER', subject: uuid, data: null })
  })
}

export async function findMember(db: Db, text: string): Promise<Member | null> {
  const ref = parseRef(text)
  return ref && stored.find(db, ref)
}

export async function findMemberById(db: Db, id: number): Promise<Member | null> {
  return stored.findById(db, id)
}

/** The own members that a list names, in its order; the first wrong name is told. */
export async function getOwnMembers(
  db: Db,
  systemId: number,
  refs: readonly string[],
): Promise<Member[]> {
  const found = await stored.findAll(db, refs)
  return found.map((row, at) => {
    if (!row) throw error('memberRefNotFound', refs[at])
    if (row.system_id !== systemId) throw error('notYourMemberRef', refs[at])
    return row
  })
}

export async function countMembers(db: Db, systemId: number): Promise<number> {
  const row = await countBySystem(db).get({ system: systemId })
  return row?.all ?? 0
}

export async function freeMemberIdentity(db: Db, given: GivenIdentity): Promise<GivenIdentity> {
  return stored.freeOf(db, given)
}

export async function insertMember(
  tx: Db,
  systemId: number,
  draft: MemberDraft,
  identity: GivenIdentity = {},
): Promise<Member> {
  const row = fillDefaults(member, draft)
  const made = await tx
    .insert(members)
    .values({ ...row, ...(await stored.draw(tx)), ...identity, system_id: systemId })
    .returning()
    .get()
  await indexTags(tx, made.id, row.proxy_tags, await tagSetOf(tx, systemId))
  await storeFaces(tx, 'members', made)
  return made
}

/** Gives a member that waited elsewhere to its system, under its own name. */
export async function adoptMember(
  tx: Db,
  systemId: number,
  id: number,
  given: GivenIdentity,
): Promise<Identity> {
  const identity = await stored.choose(tx, given)
  await update(tx, id, { ...identity, system_id: systemId })
  return { id, ...identity }
}

/** With its tags' keys and its faces, unless many are changed at once and that is done elsewhere. */
export async function updateMember(
  tx: Db,
  before: Member,
  changed: MemberPatch,
  isOneOfMany = false,
): Promise<Member> {
  await update(tx, before.id, changed)
  const after = { ...before, ...changed }
  if (isOneOfMany) return after
  if (changed.proxy_tags)
    await indexTags(tx, before.id, changed.proxy_tags, await tagSetOf(tx, before.system_id))
  await storeFaces(tx, 'members', after)
  return after
}

/** A `member` mode that loses its member turns off; a latch that loses it is free again. */
async function releaseAutoproxy(deps: Deps, tx: Db, systemId: number, id: number): Promise<void> {
  const rows = await tx.select().from(autoproxies).where(eq(autoproxies.autoproxy_member, id)).all()
  for (const { guild_id, autoproxy_mode, last_latch_timestamp } of rows) {
    const changed = {
      ...(autoproxy_mode === 'member' && { autoproxy_mode: 'off' as const }),
      autoproxy_member: null,
      ...(last_latch_timestamp !== null && { last_latch_timestamp: null }),
    }
    await tx
      .update(autoproxies)
      .set(changed)
      .where(and(eq(autoproxies.system_id, systemId), eq(autoproxies.guild_id, guild_id)))
    await tell(tx, deps.now(), {
      system_id: systemId,
      type: 'UPDATE_AUTOPROXY',
      subject: null,
      data: { guild_id, ...changed },
    })
  }
}

const update = createUpdater('members')

const stored = identified<Member>(member, 'members')

const everyone = prepared((db) =>
  db
    .select()
    .from(members)
    .where(eq(members.system_id, sql.placeholder('system')))
    .orderBy(members.id)
    .prepare(),
)

const visible = prepared((db) =>
  db
    .select()
    .from(members)
    .where(and(eq(members.system_id, sql.placeholder('system')), eq(members.visibility, 'public')))
    .orderBy(members.id)
    .prepare(),
)

const countBySystem = prepared((db) =>
  db
    .select({ all: count() })
    .from(members)
    .where(eq(members.system_id, sql.placeholder('system')))
    .prepare(),
)
