import { DomainError } from '../../model/core/errors'
import { parseRef } from '../../model/core/ref'
import { suggest } from '../../model/core/suggest'
import { escapeMarkdown } from '../messages/escape'
import { shorten } from './cards/embed'
import type { Context } from './context'
import { findOwn, mayNamePrivate, type Own, publicOf, requireOwn } from './ownSystem'
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
  readonly privacy: Readonly<Record<string, string>> | null
  readonly uuid: string
  readonly name: string
  readonly display_name: string | null
}

const members = { list: viewMembers, get: viewMember, notFound: 'memberNotFound' } as const
const groups = { list: viewGroups, get: viewGroup, notFound: 'groupNotFound' } as const

type Kind = typeof members | typeof groups

interface ResolveOptions {
  readonly flags?: ReadonlySet<string>
  /** Further words follow, so that a name with spaces may lack its quotes. */
  readonly hasMore?: boolean
}

/** Finds a member by the own names, then the own display names, then the ID of any system. */
export function resolveMember(context: Context, text: string, options?: ResolveOptions) {
  return resolve(context, members, text, options)
}

export function resolveGroup(context: Context, text: string, options?: ResolveOptions) {
  return resolve(context, groups, text, options)
}

/** Like `resolveMember`, but refuses members of other systems. */
export async function resolveOwnMember(
  context: Context,
  text: string,
  options?: ResolveOptions,
): Promise<Named & { own: Own }> {
  return requireNamedOwn(context, await resolveMember(context, text, options))
}

export async function resolveOwnGroup(
  context: Context,
  text: string,
  options?: ResolveOptions,
): Promise<Named & { own: Own }> {
  return requireNamedOwn(context, await resolveGroup(context, text, options))
}

/** Objects that a list of names means, and the names that mean none. */
export interface NamedList<T> {
  readonly rows: readonly T[]
  readonly missing: readonly string[]
  /** Names that resemble the first missing one. */
  readonly near: readonly string[]
  /** Two names mean the same row. */
  readonly isRepeated: boolean
}

/** Finds own members of a list of names. All that are missing are named in one refusal. */
export async function resolveOwnMembers(
  context: Context,
  own: Own,
  names: readonly string[],
  flags?: ReadonlySet<string>,
): Promise<NamedList<MemberView>> {
  const members = await viewMembers(context, own.viewer, '@me')
  return findAll(context, own, members, names, flags)
}

export async function resolveOwnGroups(
  context: Context,
  own: Own,
  names: readonly string[],
  flags?: ReadonlySet<string>,
): Promise<NamedList<GroupView>> {
  const groups = await viewGroups(context, own.viewer, '@me')
  return findAll(context, own, groups, names, flags)
}

function findAll<T extends Nameable>(
  context: Context,
  own: Own,
  all: readonly T[],
  names: readonly string[],
  flags?: ReadonlySet<string>,
): NamedList<T> {
  const rows: T[] = []
  const missing: string[] = []
  let isRepeated = false
  for (const name of names) {
    const row = findByName(all, name, flags) ?? findById(all, name)
    if (!row) missing.push(name)
    else if (rows.includes(row)) isRepeated = true
    else rows.push(row)
  }
  const [first] = missing
  if (first === undefined) return { rows, missing, near: [], isRepeated }
  // A name with spaces that lacks its quotes.
  const whole = names.length > 1 ? findByName(all, names.join(' '), flags) : undefined
  if (whole) return { rows: [whole], missing: [], near: [], isRepeated: false }
  return { rows, missing, near: findNearNames(context, own, all, first, flags), isRepeated }
}

async function resolve(
  context: Context,
  kind: Kind,
  text: string,
  { flags, hasMore = false }: ResolveOptions = {},
): Promise<Named> {
  const own = await findOwn(context)
  const all: readonly Nameable[] = own ? await kind.list(context, own.viewer, '@me') : []
  const row = findByName(all, text, flags) ?? findById(all, text)
  if (row) return { id: row.id, name: row.name, own }
  const near = own ? findNearNames(context, own, all, text, flags) : []
  const typed = escapeMarkdown(shorten(text, MAX_SHOWN))
  const refusal = new Refusal(context.texts[kind.notFound](typed, near, hasMore))
  if (parseRef(text) === null) throw refusal
  try {
    const { id, name } = await kind.get(context, stranger, text)
    return { id, name, own: null }
  } catch (cause) {
    throw isMissing(cause) ? refusal : cause
  }
}

/** Longer texts are no names. */
const MAX_SHOWN = 100
const MAX_NEAR = 3

/** Returns escaped names that begin with a text or resemble it, private ones only where they may be named. */
function findNearNames(
  context: Context,
  own: Own,
  rows: readonly Nameable[],
  typed: string,
  flags: ReadonlySet<string> = new Set(),
): string[] {
  const text = typed.toLowerCase()
  if (text.length < 2 || text.length > MAX_SHOWN) return []
  const names = publicOf(rows, mayNamePrivate(context, own, flags)).map(({ name }) => name)
  const beginning = names.filter((name) => name.toLowerCase().startsWith(text))
  const similar = names.filter(
    ({ length }) => Math.abs(length - text.length) <= Math.ceil(length / 3),
  )
  const suggested = suggest(
    similar.map((name) => name.toLowerCase()),
    text,
  )
  const near =
    beginning.length > 0
      ? beginning
      : names.filter((name) => suggested.includes(name.toLowerCase()))
  return [...new Set(near)].slice(0, MAX_NEAR).map((name) => escapeMarkdown(name))
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
