import type { Db } from '../../db/types'
import { type ReadOptions, UnreadableFile } from '../../formats/bundle'
import type { BundleChunk, ByteSource } from '../../formats/chunks'
import { error } from '../../model/errors'
import {
  requireOperator,
  requirePlatformAuthority,
  requireSystem,
  type Viewer,
} from '../../model/privacy'
import { insertToken } from '../access/insertToken'
import { linkImported, planAccounts } from '../accounts'
import { withQuotas } from '../admin/quotas'
import { purgeTags } from '../deletion'
import type { Deps } from '../deps'
import { groupRepository } from '../groups'
import { memberRepository } from '../members'
import { recordEvent } from '../outbox'
import { getSettings, storeColorHex, updateSettings } from '../settings'
import { findSystem, freeSystemIdentity, getSystemById, nameSystem, updateSystem } from '../systems'
import { type ArchiveCapacity, archiveCapacity, archiveRows, requireCapacity } from './archive'
import { createImport, type Import, type ImportOptions, type ImportReport } from './importContext'
import {
  applyEntities,
  matchEntities,
  recordRename,
  requireUnchanged,
  stageEntities,
} from './importEntities'
import { importAutoproxy, importGuilds, importPreferences } from './importGuilds'
import { importSwitches, switchCapacity } from './importSwitches'
import { applyTags, stageTags } from './importTags'
import { commitStaging, renewStaging, rollBackStaging } from './staging'

/** Brings a file into the caller's own system. */
export async function importFile(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  rejectUnknownLinks(viewer, options)
  return runImport(deps, file, systemId, options)
}

/** The same for a client of the server, which imports few files at a time. */
export async function importLimited(
  deps: Deps,
  viewer: Viewer,
  file: ByteSource,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  rejectUnknownLinks(viewer, options)
  const write = (whole: ByteSource) => runImport(deps, whole, systemId, options)
  return deps.importLimiter.run(systemId, file, write, signal)
}

/** Makes a system of a file, with a token of its own. */
export async function importNewSystem(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  requireOperator(viewer)
  return runImport(deps, file, null, options)
}

/** Whose the accounts are that shall be linked, the caller must know. */
function rejectUnknownLinks(viewer: Viewer, { link }: ImportOptions): void {
  if (link === 'all') requireOperator(viewer)
  else for (const account of link) requirePlatformAuthority(viewer, account)
}

/**
 * Writes a file of any known format: all of it, or nothing. What is much is written in slices that
 * nobody sees; one short transaction at the end does the rest, and shows it all.
 */
async function runImport(
  deps: Deps,
  file: Uint8Array | ByteSource,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  try {
    const room = await limitsFor(deps, systemId)
    const bytes = file instanceof Uint8Array ? [file] : file
    const chunks = deps.parseImport(bytes, { ...room, public: options.isPublic })
    return await consumeChunks(deps, chunks, systemId, options)
  } catch (cause) {
    throw cause instanceof UnreadableFile ? toImportError(cause) : cause
  }
}

function toImportError({ reason, message }: UnreadableFile) {
  const names = {
    tooLarge: 'tooLarge',
    tooManyMembers: 'memberLimit',
    tooManyGroups: 'groupLimit',
  } as const
  return error(reason in names ? names[reason as keyof typeof names] : 'badRequest', message)
}

/** How many members and groups a file may have at most. */
async function limitsFor(
  { db, quotas }: Deps,
  systemId: number | null,
): Promise<Required<Pick<ReadOptions, 'maxMembers' | 'maxGroups'>>> {
  if (systemId === null) return { maxMembers: quotas.members, maxGroups: quotas.groups }
  const { member_limit, group_limit } = withQuotas(quotas, await getSettings(db, systemId))
  return {
    maxMembers: Math.max(member_limit, await memberRepository.count(db, systemId)),
    maxGroups: Math.max(group_limit, await groupRepository.count(db, systemId)),
  }
}

/** Members and groups come first, then whatever refers to them. */
async function consumeChunks(
  deps: Deps,
  chunks: AsyncIterable<BundleChunk>,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  let work: Import | undefined
  let archive: ArchiveCapacity | undefined
  let arePeopleDone = false
  try {
    for await (const part of chunks) {
      if ('head' in part) {
        const switchRoom = await switchCapacity(deps.db, systemId)
        work = createImport(deps, systemId, part.head, options, switchRoom)
        await rejectExistingSystem(work)
        archive = await archiveCapacity(deps, systemId)
        continue
      }
      if (!work || !archive) throw new Error('a file begins with its head')
      if ('members' in part) work.members.push(...part.members)
      else if ('groups' in part) work.groups.push(...part.groups)
      else {
        if (!arePeopleDone) await stageAll(work)
        arePeopleDone = true
        if ('switches' in part) await importSwitches(work, part.switches)
        else if (options.only === null) await archiveRows(work, archive, part.kept)
      }
      await work.step(0)
    }
    if (!work) throw new Error('a file has a head')
    if (!arePeopleDone) await stageAll(work)
    const report = options.dryRun ? await planReport(work) : await commitImport(work)
    return { ...report, renamed: report.renamed.toSorted(bySize) }
  } catch (cause) {
    // What it leaves if this fails too is removed later.
    if (work?.begun) await rollBackStaging(deps, work.begun).catch(() => {})
    throw cause
  }
}

/** The largest things first. */
function bySize(a: { kind: string }, b: { kind: string }): number {
  const kinds = ['system', 'member', 'group', 'switch']
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
}

async function stageAll(work: Import): Promise<void> {
  await matchEntities(work)
  if (work.options.dryRun) return
  await stageEntities(work)
  await stageTags(work)
}

/** A file whose system is here already is more likely meant for it. */
async function rejectExistingSystem({ deps, systemId, head, options }: Import): Promise<void> {
  const { uuid } = head.system
  if (systemId !== null || options.allowsCopy === true || uuid === undefined) return
  const found = await findSystem(deps.db, uuid)
  if (!found) return
  const { hid } = found
  throw error('conflict', `already here as ${hid}: use --system ${hid}, or --yes for a second copy`)
}

/** What the import would do. */
async function planReport(work: Import): Promise<ImportReport> {
  const { deps, systemId, head, report, options } = work
  if (options.only === null)
    report.accounts = await planAccounts(deps.db, systemId, head.accounts, options.link)
  // One that was only tried out has no ID that anybody could use.
  if (systemId !== null) return { ...report, system: (await getSystemById(deps.db, systemId)).hid }
  const { hid, uuid } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  recordRename(report, 'system', null, given, await freeSystemIdentity(deps.db, given))
  return report
}

/** One short transaction: the mark is taken off, with all that was not written in slices. */
async function commitImport(work: Import): Promise<ImportReport> {
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
      if (staging) await renewStaging(tx, staging, deps.now())
      await requireUnchanged(work, tx)
      const systemId = staging?.systemId ?? work.systemId
      if (systemId === null) throw error('internal')
      let isTouched = staging !== null
      if (work.systemId === null) await createImportedSystem(work, tx, systemId)
      if (work.options.only === null && (await importSystem(work, tx, systemId))) isTouched = true
      if (await applyEntities(work, tx, systemId)) isTouched = true
      oldTags = await applyTags(work, tx, systemId)
      if (work.options.only === null) {
        if (await importGuilds(work, tx, systemId)) isTouched = true
        if (await importAutoproxy(work, tx, systemId)) isTouched = true
        if (await importPreferences(work, tx, systemId)) isTouched = true
      }
      if (staging) {
        await requireCapacity(deps, tx, staging)
        await commitStaging(tx, staging)
      }
      if (isTouched)
        await recordEvent(tx, deps.now(), {
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
  if (oldTags !== null) await purgeTags(deps, oldTags).catch(() => {})
  return done
}

/** A new system keeps the identity it had elsewhere, if nobody here has it. */
async function createImportedSystem(work: Import, tx: Db, systemId: number): Promise<void> {
  const { deps, head, report } = work
  const { hid, uuid, created } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  const made = await nameSystem(tx, systemId, given, created ?? deps.now())
  recordRename(report, 'system', null, given, made)
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
