import { DomainError } from '../../model/core/errors'
import { parseRef } from '../../model/core/ref'
import type { Context } from './context'
import { findOwn, type Own, requireOwn } from './ownSystem'
import { Refusal } from './refusal'
import {
  type GroupView,
  type MemberView,
  type SystemView,
  stranger,
  viewGroup,
  viewGroups,
  viewMember,
  viewMembers,
  viewSystem,
} from './views'

const MENTION = /^<@!?(\d{15,20})>$/

/** Returns the ID of an account that is mentioned or given as a number. */
export function parseAccount(text: string): string | null {
  return MENTION.exec(text)?.[1] ?? (/^\d{15,20}$/.test(text) ? text : null)
}

/** A system that a command names; `own` is set if it belongs to the account that asks. */
export interface NamedSystem {
  readonly id: string
  readonly own: Own | null
}

/** Finds the named system, or that of the account if none is named. */
export async function resolveSystem(
  context: Context,
  text: string | undefined,
): Promise<NamedSystem> {
  if (text === undefined) {
    const own = await requireOwn(context)
    return { id: own.system.hid, own }
  }
  const own = await findOwn(context)
  const { id } = await findSystemView(context, text)
  return { id, own: own?.system.hid === id ? own : null }
}

async function findSystemView(context: Context, text: string): Promise<SystemView> {
  const { texts } = context
  const account = parseAccount(text)
  if (account === null && parseRef(text) === null) throw new Refusal(texts.systemNotFound)
  try {
    return await viewSystem(context, stranger, account ?? text)
  } catch (cause) {
    if (!isMissing(cause)) throw cause
    throw new Refusal(account === null ? texts.systemNotFound : texts.accountHasNoSystem(account))
  }
}

/** A member or group that a command names; `own` is set if it belongs to the account that asks. */
export interface Named {
  readonly id: string
  readonly name: string
  readonly own: Own | null
}

interface Nameable {
  readonly id: string
  readonly uuid: string
  readonly name: string
  readonly display_name: string | null
}

const members = {
  list: viewMembers,
  get: viewMember,
  notFound: (context: Context) => context.texts.memberNotFound,
}

const groups = {
  list: viewGroups,
  get: viewGroup,
  notFound: (context: Context) => context.texts.groupNotFound,
}

type Kind = typeof members | typeof groups

/** Finds a member by the own names, then the own display names, then the ID of any system. */
export function resolveMember(context: Context, text: string, flags?: ReadonlySet<string>) {
  return resolve(context, members, text, flags)
}

export function resolveGroup(context: Context, text: string, flags?: ReadonlySet<string>) {
  return resolve(context, groups, text, flags)
}

/** Like `resolveMember`, but refuses members of other systems. */
export async function resolveOwnMember(
  context: Context,
  text: string,
  flags?: ReadonlySet<string>,
): Promise<Named & { own: Own }> {
  return requireNamedOwn(context, await resolveMember(context, text, flags))
}

export async function resolveOwnGroup(
  context: Context,
  text: string,
  flags?: ReadonlySet<string>,
): Promise<Named & { own: Own }> {
  return requireNamedOwn(context, await resolveGroup(context, text, flags))
}

/** Finds own members of a list of names. All that are missing are named in one refusal. */
export async function resolveOwnMembers(
  context: Context,
  own: Own,
  texts: readonly string[],
  flags?: ReadonlySet<string>,
): Promise<{ found: MemberView[]; missing: string[] }> {
  return findAll(await viewMembers(context, own.viewer, '@me'), texts, flags)
}

export async function resolveOwnGroups(
  context: Context,
  own: Own,
  texts: readonly string[],
  flags?: ReadonlySet<string>,
): Promise<{ found: GroupView[]; missing: string[] }> {
  return findAll(await viewGroups(context, own.viewer, '@me'), texts, flags)
}

function findAll<T extends Nameable>(
  all: readonly T[],
  texts: readonly string[],
  flags?: ReadonlySet<string>,
): { found: T[]; missing: string[] } {
  const found: T[] = []
  const missing: string[] = []
  for (const text of texts) {
    const one = findByName(all, text, flags) ?? findById(all, text)
    if (!one) missing.push(text)
    else if (!found.includes(one)) found.push(one)
  }
  return { found, missing }
}

async function resolve(
  context: Context,
  kind: Kind,
  text: string,
  flags: ReadonlySet<string> | undefined,
): Promise<Named> {
  const own = await findOwn(context)
  const all: readonly Nameable[] = own ? await kind.list(context, own.viewer, '@me') : []
  const mine = findByName(all, text, flags) ?? findById(all, text)
  if (mine) return { id: mine.id, name: mine.name, own }
  const refused = new Refusal(kind.notFound(context))
  if (parseRef(text) === null) throw refused
  try {
    const { id, name } = await kind.get(context, stranger, text)
    return { id, name, own: null }
  } catch (cause) {
    throw isMissing(cause) ? refused : cause
  }
}

function findByName<T extends Nameable>(
  all: readonly T[],
  text: string,
  flags?: ReadonlySet<string>,
): T | undefined {
  if (flags?.has('id')) return undefined
  const folded = text.toLowerCase()
  return (
    all.find(({ name }) => name.toLowerCase() === folded) ??
    all.find(({ display_name }) => display_name?.toLowerCase() === folded)
  )
}

function findById<T extends Nameable>(all: readonly T[], text: string): T | undefined {
  const ref = parseRef(text)
  if (ref === null) return undefined
  return all.find(({ id, uuid }) => ('hid' in ref ? id === ref.hid : uuid === ref.uuid))
}

function requireNamedOwn({ texts }: Context, { own, ...named }: Named): Named & { own: Own } {
  if (!own) throw new Refusal(texts.notYours)
  return { ...named, own }
}

function isMissing(cause: unknown): boolean {
  return cause instanceof DomainError && cause.status === 404
}
