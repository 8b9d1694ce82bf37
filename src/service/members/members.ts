import { and, eq, type SQL } from 'drizzle-orm'
import { type Placeholders, query } from '../../db/query'
import { autoproxies } from '../../db/tables'
import type { Db } from '../../db/types'
import { visibleMembers } from '../../db/visible'
import {
  audienceOf,
  isOwner,
  type Redacted,
  redact,
  requireListAccess,
  type Viewer,
} from '../../model/core/privacy'
import { type Member, member } from '../../model/members/member'
import type { System } from '../../model/systems/system'
import { recordEvent } from '../../store/events/recordEvent'
import { putInDefaultBuckets } from '../../store/friends/bucketRows'
import { scheduleFriendRefresh } from '../../store/friends/friendDues'
import { clearAbouts, freeMemberExt, recordExtEvent } from '../../store/members/memberExts'
import { indexTags, tagIndexOf } from '../../store/members/tagIndex'
import { updateDuesWithout } from '../../store/reminders/reminderDues'
import type { Deps } from '../core/deps'
import { createOwnedRepository } from '../core/ownedEntity'
import { deleteOrHideMember } from '../systems/deletion'
import { actAs } from '../systems/systems'
import { commitWithTagIndex } from './stageTagIndex'

export const memberRepository = createOwnedRepository<typeof member>({
  entity: member,
  table: 'members',
  errors: {
    missing: 'memberNotFound',
    foreign: 'notYourMember',
    full: 'memberLimit',
    missingRef: 'memberRefNotFound',
    foreignRef: 'notYourMemberRef',
  },
  events: { created: 'CREATE_MEMBER', changed: 'UPDATE_MEMBER', removed: 'DELETE_MEMBER' },
  limitOf: (settings) => settings.member_limit,
  isPrivateIn: (settings) => settings.member_default_private,
  derived: {
    from: 'proxy_tags',
    async sync(tx, { id, system_id, proxy_tags }) {
      await indexTags(tx, id, proxy_tags, await tagIndexOf(tx, system_id))
    },
  },
  commitBulk: commitWithTagIndex,
  async afterChange(deps, tx, changes) {
    const described = changes.filter(({ changed }) => 'description' in changed)
    await clearAbouts(
      deps,
      tx,
      described.map(({ before }) => before),
    )
  },
  async putInBuckets(deps, tx, { id, uuid, system_id }) {
    const buckets = await putInDefaultBuckets(tx, system_id, 'members', id)
    if (buckets.length > 0)
      await recordExtEvent(tx, deps.now(), { system_id, uuid }, ['buckets'], { buckets })
  },
  async beforeDelete(deps, tx, row) {
    await releaseAutoproxy(deps, tx, row)
    await freeMemberExt(deps, tx, row)
    await updateDuesWithout(tx, row)
    await scheduleFriendRefresh(tx, row.system_id, deps.now())
  },
  remove: deleteOrHideMember,
})

export const {
  find: findMember,
  insert: insertMember,
  update: updateMember,
  create: createMember,
  change: patchMember,
  changeMany: patchMembers,
  changeAll: patchAllMembers,
  remove: deleteMember,
} = memberRepository

/** Returns a member of any system, redacted for the viewer. */
export async function getMember(
  { db }: Deps,
  viewer: Viewer,
  ref: string,
): Promise<Redacted<typeof member>> {
  const found = await memberRepository.get(db, ref)
  return redact(member, found, audienceOf(viewer, found.system_id))
}

/** Returns the viewer for acting as the system of a member. */
export async function actForMember({ db }: Deps, viewer: Viewer, ref: string): Promise<Viewer> {
  const { system_id } = await memberRepository.get(db, ref)
  return actAs(db, viewer, system_id)
}

/** Lists the members of a system that the viewer may list. */
export async function listMembers({ db }: Deps, viewer: Viewer, of: System): Promise<Member[]> {
  const owner = isOwner(viewer, of.id)
  requireListAccess('members', of, owner)
  return await (owner ? allMembers(db) : publicMembers(db)).all({ system: of.id })
}

/** Turns autoproxy off if its mode is `member` and names this member; a latch only loses the member. */
async function releaseAutoproxy(
  deps: Deps,
  tx: Db,
  { id, system_id }: { id: number; system_id: number },
): Promise<void> {
  const rows = await autoproxiesTo(tx).all({ member: id })
  for (const { guild_id, autoproxy_mode, last_latch_timestamp } of rows) {
    const changed = {
      ...(autoproxy_mode === 'member' && { autoproxy_mode: 'off' as const }),
      autoproxy_member: null,
      ...(last_latch_timestamp !== null && { last_latch_timestamp: null }),
    }
    const mode = changed.autoproxy_mode ?? autoproxy_mode
    await release(tx).run({ system: system_id, guild: guild_id, mode })
    await recordEvent(tx, deps.now(), {
      system_id,
      type: 'UPDATE_AUTOPROXY',
      subject: null,
      data: { guild_id, ...changed },
    })
  }
}

const autoproxiesTo = query((db, { member }: Placeholders<'member'>) =>
  db.select().from(autoproxies).where(eq(autoproxies.autoproxy_member, member)),
)

const release = query((db, { system, guild, mode }: Placeholders<'system' | 'guild' | 'mode'>) =>
  db
    .update(autoproxies)
    .set({ autoproxy_mode: mode, autoproxy_member: null, last_latch_timestamp: null })
    .where(and(eq(autoproxies.system_id, system), eq(autoproxies.guild_id, guild))),
)

const allMembers = listWhere()
const publicMembers = listWhere(eq(visibleMembers.visibility, 'public'))

function listWhere(condition?: SQL) {
  return query((db, { system }: Placeholders<'system'>) =>
    db
      .select()
      .from(visibleMembers)
      .where(and(eq(visibleMembers.system_id, system), condition))
      .orderBy(visibleMembers.id),
  )
}
