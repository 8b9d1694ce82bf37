import type { Db } from '../../db/types'
import { UnreadableFile } from '../../formats/bundle'
import type { BundleChunk, ByteSource } from '../../formats/chunks'
import { error } from '../../model/errors'
import {
  requireOperator,
  requirePlatformAuthority,
  requireSystem,
  type Viewer,
} from '../../model/privacy'
import { insertToken } from '../access/issue'
import { linkImported, planAccounts } from '../accounts'
import type { Deps } from '../deps'
import { ownGroups } from '../groups'
import { ownMembers } from '../members'
import { withQuotas } from '../operating/quotas'
import { tell } from '../outbox'
import { removeTags } from '../removal'
import { getSettings, storeColorHex, updateSettings } from '../settings'
import { findSystem, freeSystemIdentity, getSystemById, nameSystem, updateSystem } from '../systems'
import { type ArchiveRoom, keepRows, refuseOverflow, roomInArchive } from './archive'
import { importAutoproxy, importGuilds, importPreferences } from './guilds'
import { finishPeople, noteRenamed, planPeople, refuseOthers, stagePeople } from './people'
import { endStaging, keepAlive, undoStaging } from './staging'
import { importSwitches, roomForSwitches } from './switches'
import { finishTags, stageTags } from './tags'
import { createImport, type Import, type ImportOptions, type ImportReport } from './work'

/** Brings a file into the caller's own system. */
export async function importFile(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  refuseUnknown(viewer, options)
  return writeFile(deps, file, systemId, options)
}

/** The same for a client of the server, which imports few files at a time. */
export async function importInTurn(
  deps: Deps,
  viewer: Viewer,
  file: ByteSource,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  refuseUnknown(viewer, options)
  const write = (whole: ByteSource) => writeFile(deps, whole, systemId, options)
  return deps.importTurns.take(systemId, file, write, signal)
}

/** Makes a system of a file, with a token of its own. */
export async function importNewSystem(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  requireOperator(viewer)
  return writeFile(deps, file, null, options)
}

/** Whose the accounts are that shall be linked, the caller must know. */
function refuseUnknown(viewer: Viewer, { link }: ImportOptions): void {
  if (link === 'all') requireOperator(viewer)
  else for (const account of link) requirePlatformAuthority(viewer, account)
}

/**
 * Writes a file of any known format: all of it, or nothing. What is much is written in slices that
 * nobody sees; one short transaction at the end does the rest, and shows it all.
 */
async function writeFile(
  deps: Deps,
  file: Uint8Array | ByteSource,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  try {
    const room = await roomFor(deps, systemId)
    const bytes = file instanceof Uint8Array ? [file] : file
    const arriving = deps.readImport(bytes, { ...room, public: options.isPublic })
    return await takeIn(deps, arriving, systemId, options)
  } catch (cause) {
    throw cause instanceof UnreadableFile ? refusal(cause) : cause
  }
}

function refusal({ reason, message }: UnreadableFile) {
  const names = {
    tooLarge: 'tooLarge',
    tooManyMembers: 'memberLimit',
    tooManyGroups: 'groupLimit',
  } as const
  return error(reason in names ? names[reason as keyof typeof names] : 'badRequest', message)
}

/** How many members and groups a file may have at most. */
async function roomFor({ db, quotas }: Deps, systemId: number | null) {
  if (systemId === null) return { mostMembers: quotas.members, mostGroups: quotas.groups }
  const { member_limit, group_limit } = withQuotas(quotas, await getSettings(db, systemId))
  return {
    mostMembers: Math.max(member_limit, await ownMembers.count(db, systemId)),
    mostGroups: Math.max(group_limit, await ownGroups.count(db, systemId)),
  }
}

/** Members and groups come first, then whatever refers to them. */
async function takeIn(
  deps: Deps,
  arriving: AsyncIterable<BundleChunk>,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  let work: Import | undefined
  let archive: ArchiveRoom | undefined
  let arePeopleDone = false
  try {
    for await (const part of arriving) {
      if ('head' in part) {
        const switchRoom = await roomForSwitches(deps.db, systemId)
        work = createImport(deps, systemId, part.head, options, switchRoom)
        await refuseCopy(work)
        archive = await roomInArchive(deps, systemId)
        continue
      }
      if (!work || !archive) throw new Error('a file begins with its head')
      if ('members' in part) work.members.push(...part.members)
      else if ('groups' in part) work.groups.push(...part.groups)
      else {
        if (!arePeopleDone) await bringPeople(work)
        arePeopleDone = true
        if ('switches' in part) await importSwitches(work, part.switches)
        else if (options.only === null) await keepRows(work, archive, part.kept)
      }
      await work.step(0)
    }
    if (!work) throw new Error('a file has a head')
    if (!arePeopleDone) await bringPeople(work)
    const report = options.dryRun ? await tellPlan(work) : await finish(work)
    return { ...report, renamed: report.renamed.toSorted(bySize) }
  } catch (cause) {
    // What it leaves if this fails too is removed later.
    if (work?.begun) await undoStaging(deps, work.begun).catch(() => {})
    throw cause
  }
}

/** The largest things first. */
function bySize(a: { kind: string }, b: { kind: string }): number {
  const kinds = ['system', 'member', 'group', 'switch']
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
}

async function bringPeople(work: Import): Promise<void> {
  await planPeople(work)
  if (work.options.dryRun) return
  await stagePeople(work)
  await stageTags(work)
}

/** A file whose system is here already is more likely meant for it. */
async function refuseCopy({ deps, systemId, head, options }: Import): Promise<void> {
  const { uuid } = head.system
  if (systemId !== null || options.allowsCopy === true || uuid === undefined) return
  const found = await findSystem(deps.db, uuid)
  if (!found) return
  const { hid } = found
  throw error('conflict', `already here as ${hid}: use --system ${hid}, or --yes for a second copy`)
}

/** What the import would do. */
async function tellPlan(work: Import): Promise<ImportReport> {
  const { deps, systemId, head, report, options } = work
  if (options.only === null)
    report.accounts = await planAccounts(deps.db, systemId, head.accounts, options.link)
  // One that was only tried out has no ID that anybody could use.
  if (systemId !== null) return { ...report, system: (await getSystemById(deps.db, systemId)).hid }
  const { hid, uuid } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  noteRenamed(report, 'system', null, given, await freeSystemIdentity(deps.db, given))
  return report
}

/** One short transaction: the mark is taken off, with all that was not written in slices. */
async function finish(work: Import): Promise<ImportReport> {
  const { deps, report } = work
  let oldTags: number | null = null
  const target = work.begun?.systemId ?? work.systemId
  const subject = target === null ? 'new' : { system: target }
  const soFar = structuredClone(report)
  const done = await deps.transact(
    subject,
    async (tx) => {
      // Done again where it met somebody else's work, it counts anew.
      Object.assign(report, structuredClone(soFar))
      const staging = work.begun
      if (staging) await keepAlive(tx, staging, deps.now())
      await refuseOthers(work, tx)
      const systemId = staging?.systemId ?? work.systemId
      if (systemId === null) throw error('internal')
      let isTouched = staging !== null
      if (work.systemId === null) await makeSystem(work, tx, systemId)
      if (work.options.only === null && (await importSystem(work, tx, systemId))) isTouched = true
      if (await finishPeople(work, tx, systemId)) isTouched = true
      oldTags = await finishTags(work, tx, systemId)
      if (work.options.only === null) {
        if (await importGuilds(work, tx, systemId)) isTouched = true
        if (await importAutoproxy(work, tx, systemId)) isTouched = true
        if (await importPreferences(work, tx, systemId)) isTouched = true
      }
      if (staging) {
        await refuseOverflow(deps, tx, staging)
        await endStaging(tx, staging)
      }
      if (isTouched)
        await tell(tx, deps.now(), {
          system_id: systemId,
          type: 'SUCCESSFUL_IMPORT',
          subject: null,
          data: null,
        })
      return { ...report, system: (await getSystemById(tx, systemId)).hid }
    },
    'long',
  )
  // What this leaves if it fails is removed at the next start.
  if (oldTags !== null) await removeTags(deps, oldTags).catch(() => {})
  return done
}

/** A new system keeps the identity it had elsewhere, if nobody here has it. */
async function makeSystem(work: Import, tx: Db, systemId: number): Promise<void> {
  const { deps, head, report } = work
  const { hid, uuid, created } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  const made = await nameSystem(tx, systemId, given, created ?? deps.now())
  noteRenamed(report, 'system', null, given, made)
  report.token = await insertToken(deps, tx, systemId, 'default')
}

/** Whether anything changed. */
async function importSystem(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { deps, head, report, options } = work
  const { patch, created } = head.system
  const before = [await getSystemById(tx, systemId), await getSettings(tx, systemId)] as const
  // A file tells of the past: it may know an earlier beginning.
  const isEarlier = created !== undefined && created < (before[0].created ?? Infinity)
  const after = [
    await updateSystem(deps, tx, systemId, { ...patch, ...(isEarlier && { created }) }),
    await updateSettings(deps, tx, systemId, head.settings),
  ]
  const isColored =
    head.colorHex !== undefined && (await storeColorHex(tx, systemId, head.colorHex))
  report.accounts = await planAccounts(tx, systemId, head.accounts, options.link)
  const areLinked = await linkImported(deps, tx, systemId, head.accounts, report.accounts)
  return JSON.stringify(before) !== JSON.stringify(after) || isColored || areLinked
}
