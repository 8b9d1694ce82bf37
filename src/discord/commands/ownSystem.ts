import { DomainError } from '../../model/core/errors'
import { discordBot, type Viewer } from '../../model/core/privacy'
import type { System } from '../../model/systems/system'
import { getVisibleSettings } from '../../service/systems/settings'
import { actFor } from '../../service/systems/systems'
import type { Context } from './context'
import { Refusal } from './refusal'
import { stranger } from './views'

/** System of the account that asks, and the viewer that acts as it. */
export interface Own {
  readonly viewer: Viewer
  readonly system: System
}

/** Returns null if the account has no system. Throws if the operator disabled its system. */
export async function findOwn({ deps, account }: Context): Promise<Own | null> {
  try {
    return await actFor(deps, discordBot, account)
  } catch (cause) {
    if (cause instanceof DomainError && cause.kind === 'systemNotFound') return null
    throw cause
  }
}

export async function requireOwn(context: Context): Promise<Own> {
  const own = await findOwn(context)
  if (!own) throw noSystem(context)
  return own
}

/** Refuses a command of an account without a system. */
export function noSystem({ texts, name }: Context): Refusal {
  return new Refusal(texts.noSystem(name), { expects: ['system.new'] })
}

/** Returns all settings of the own system. */
export async function ownSettings({ deps }: Context, { viewer }: Own) {
  return getVisibleSettings(deps, viewer, '@me')
}

/**
 * Returns the viewer of a look-up: the owner (`own`) only if the answer may show private information
 * here, otherwise a stranger.
 */
export async function viewerAt(
  context: Context,
  own: Own | null,
  flags: ReadonlySet<string>,
): Promise<Viewer> {
  if (!own || flags.has('public')) return stranger
  return (await showsPrivate(context, own, flags)) ? own.viewer : stranger
}

/** Only in guild channels do flags and settings matter: elsewhere only the owner sees the answer. */
async function showsPrivate(context: Context, own: Own, flags: ReadonlySet<string>) {
  if (context.via === 'interaction' || context.guild === null || flags.has('private')) return true
  return (await ownSettings(context, own)).show_private_info !== false
}

/** Levels as the owner sees them; other people see none. */
interface Row {
  readonly privacy: Readonly<Record<string, string>> | null
}

export function isPrivate({ privacy }: Row): boolean {
  return privacy?.visibility === 'private'
}

/** Leaves out private members or groups, unless they may be named. */
export function publicOf<T extends Row>(rows: readonly T[], mayNamePrivate: boolean): readonly T[] {
  return mayNamePrivate ? rows : rows.filter((row) => !isPrivate(row))
}

/**
 * Returns whether an answer may name private members and groups that the command did not name: only
 * to their owner, where no other people read it or if the owner asks for them.
 */
export function mayNamePrivate(
  { via, guild }: Context,
  own: Own | null,
  flags: ReadonlySet<string>,
): boolean {
  if (!own || flags.has('public')) return false
  return via === 'interaction' || guild === null || flags.has('private') || flags.has('all')
}
