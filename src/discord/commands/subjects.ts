import type { Entity, Patch } from '../../model/core/entity'
import type { Viewer } from '../../model/core/privacy'
import { group } from '../../model/groups/group'
import { member } from '../../model/members/member'
import { memberGuild, systemGuild } from '../../model/proxy/guild'
import { system } from '../../model/systems/system'
import { deleteGroup, patchGroup } from '../../service/groups/groups'
import { deleteMember, patchMember } from '../../service/members/members'
import {
  getMemberGuild,
  getSystemGuild,
  patchMemberGuild,
  patchSystemGuild,
} from '../../service/proxy/guilds'
import { deleteSystem, patchSystem } from '../../service/systems/systems'
import type { Context } from './context'
import type { Arguments } from './grammar/matchCommand'
import { type Own, viewerAt } from './ownSystem'
import { type Named, resolveGroup, resolveMember, resolveSystem } from './references'
import { Refusal } from './refusal'
import { viewGroup, viewMember, viewSystem } from './views'

/** Values of an object as the viewer may see them. */
export interface Viewed {
  readonly [key: string]: unknown
  readonly name: string | null
  readonly privacy: Readonly<Record<string, string>> | null
}

/** A system, member or group: how commands name, read and change it. */
export interface Subject<E extends Entity = Entity, G extends Entity = Entity> {
  /** Parameter of commands that names it. */
  readonly parameter: 'system' | 'member' | 'group'
  readonly entity: E
  find(
    context: Context,
    text: string | undefined,
    flags: ReadonlySet<string>,
  ): Promise<Omit<Named, 'name'>>
  view(context: Context, viewer: Viewer, id: string): Promise<Viewed>
  patch(context: Context, own: Own, id: string, patch: Patch<E>): Promise<unknown>
  delete(context: Context, own: Own, id: string): Promise<void>
  /** Settings of the object in a guild; groups have none. */
  readonly inGuild?: {
    readonly entity: G
    read(context: Context, own: Own, id: string, guild: string): Promise<object>
    patch(context: Context, own: Own, id: string, guild: string, patch: Patch<G>): Promise<unknown>
  }
}

export const systems: Subject<typeof system, typeof systemGuild> = {
  parameter: 'system',
  entity: system,
  find: resolveSystem,
  view: async (context, viewer, id) => ({ ...(await viewSystem(context, viewer, id)) }),
  patch: ({ deps }, { viewer }, _, patch) => patchSystem(deps, viewer, '@me', patch),
  delete: ({ deps }, { viewer }) => deleteSystem(deps, viewer),
  inGuild: {
    entity: systemGuild,
    read: ({ deps }, { viewer }, _, guild) => getSystemGuild(deps, viewer, guild),
    patch: ({ deps }, { viewer }, _, guild, patch) =>
      patchSystemGuild(deps, viewer, guild, patch, 'create'),
  },
}

export const members: Subject<typeof member, typeof memberGuild> = {
  parameter: 'member',
  entity: member,
  find: (context, text = '', flags) => resolveMember(context, text, { flags }),
  view: async (context, viewer, id) => ({ ...(await viewMember(context, viewer, id)) }),
  patch: ({ deps }, { viewer }, id, patch) => patchMember(deps, viewer, id, patch),
  delete: ({ deps }, { viewer }, id) => deleteMember(deps, viewer, id),
  inGuild: {
    entity: memberGuild,
    read: ({ deps }, { viewer }, id, guild) => getMemberGuild(deps, viewer, id, guild),
    patch: ({ deps }, { viewer }, id, guild, patch) =>
      patchMemberGuild(deps, viewer, id, guild, patch, 'create'),
  },
}

export const groups: Subject<typeof group, never> = {
  parameter: 'group',
  entity: group,
  find: (context, text = '', flags) => resolveGroup(context, text, { flags }),
  view: async (context, viewer, id) => ({ ...(await viewGroup(context, viewer, id)) }),
  patch: ({ deps }, { viewer }, id, patch) => patchGroup(deps, viewer, id, patch),
  delete: ({ deps }, { viewer }, id) => deleteGroup(deps, viewer, id),
}

/** An object that a command names, as it may be shown where the command was written. */
export interface Found {
  readonly id: string
  /** Null if it belongs to another system. */
  readonly own: Own | null
  readonly viewer: Viewer
  readonly values: Viewed
  /** Name for people; a system may have none. */
  readonly name: string
}

export async function findSubject<E extends Entity, G extends Entity>(
  context: Context,
  subject: Subject<E, G>,
  { values, flags }: Arguments,
): Promise<Found> {
  const { id, own } = await subject.find(context, values[subject.parameter], flags)
  const viewer = await viewerAt(context, own, flags)
  const seen = await subject.view(context, viewer, id)
  return { id, own, viewer, values: seen, name: seen.name ?? context.texts.systemWithId(id) }
}

/** Like `findSubject`, but refuses objects of other systems and reads all values of own ones. */
export async function requireOwnSubject<E extends Entity, G extends Entity>(
  context: Context,
  subject: Subject<E, G>,
  { values, flags }: Arguments,
): Promise<Found & { own: Own }> {
  const { id, own } = await subject.find(context, values[subject.parameter], flags)
  if (!own) throw new Refusal(context.texts.notYours)
  const { viewer } = own
  const seen = await subject.view(context, viewer, id)
  return { id, own, viewer, values: seen, name: seen.name ?? context.texts.systemWithId(id) }
}
