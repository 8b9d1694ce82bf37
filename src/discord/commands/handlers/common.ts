import { ownLink } from '../../../model/core/dashboardLinks'
import { DomainError } from '../../../model/core/errors'
import { isOwner, type Viewer } from '../../../model/core/privacy'
import { findSystemOf } from '../../../service/systems/systems'
import type { Context } from '../context'
import { findOwn, type Own, ownSettings } from '../ownSystem'
import { Refusal } from '../refusal'
import { type SystemView, viewSystem } from '../views'

export function parseSwitched({ texts }: Context, text: string): boolean {
  const folded = text.toLowerCase()
  if (['on', 'yes', 'true', 'enable', 'enabled', '1'].includes(folded)) return true
  if (['off', 'no', 'false', 'disable', 'disabled', '0'].includes(folded)) return false
  throw new Refusal(texts.onOrOff)
}

/** Returns how the account that asks wants to see IDs. */
export async function idStyle(context: Context) {
  const own = await findOwn(context)
  return own ? ownSettings(context, own) : {}
}

/** Returns the page of an own member or group. The dashboard has none for those of other systems. */
export function linkOf(
  { settings }: Context,
  viewer: Viewer,
  own: Own | null,
  page: 'members' | 'groups',
  id: string,
): string | null {
  const isOwn = own !== null && isOwner(viewer, own.system.id)
  return isOwn && settings.publicUrl !== '' ? ownLink(settings.publicUrl, page, id) : null
}

/** Returns the system of a member or group, as the viewer may see it. */
export async function viewSystemOf(
  context: Context,
  kind: 'member' | 'group',
  { id, own }: { readonly id: string; readonly own: Own | null },
  viewer: Viewer,
): Promise<SystemView> {
  return viewSystem(
    context,
    viewer,
    own?.system.hid ?? (await findSystemOf(context.deps, viewer, kind, id)),
  )
}

export function requireGuild({ guild, texts }: Context): string {
  if (!guild) throw new Refusal(texts.guildOnly)
  return guild.id
}

/** Returns null instead of an error of a list that is private or settings that were never stored. */
export async function orNull<T>(promise: Promise<T>): Promise<T | null> {
  try {
    return await promise
  } catch (cause) {
    if (cause instanceof DomainError && (cause.status === 403 || cause.status === 404)) return null
    throw cause
  }
}
