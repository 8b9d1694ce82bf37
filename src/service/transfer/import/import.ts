import type { Db } from '../../../db/types'
import { type ReadOptions, UnreadableFile } from '../../../formats/bundle'
import type { BundleChunk, ByteSource } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import {
  requireOperator,
  requirePlatformAuthority,
  requireSystem,
  type Viewer,
} from '../../../model/core/privacy'
import { privateByDefault } from '../../../model/systems/settings'
import { privacyOf } from '../../../model/systems/system'
import { findAccount, insertAccount, linkImported } from '../../../store/access/accountRows'
import { removeSetupCodes } from '../../../store/access/setupCodeRows'
import { insertToken } from '../../../store/access/tokenRows'
import { countEntities } from '../../../store/core/entityRows'
import { groupRowKind } from '../../../store/groups/groupRows'
import { memberRowKind } from '../../../store/members/memberRows'
import { getSettings, storeColorHex, updateSettings } from '../../../store/systems/settingRows'
import {
  findSystem,
  freeSystemIdentity,
  getSystemById,
  nameSystem,
  updateSystem,
} from '../../../store/systems/systemRows'
import { renewStaging } from '../../../store/transfer/stagedRows'
import { planAccounts } from '../../access/accounts'
import { requireRegistration } from '../../access/requireRegistration'
import type { Deps } from '../../core/deps'
import { purgeTags } from '../../systems/purge'
import { rollBackStaging } from '../../systems/staging'
import { type ArchiveCapacity, archiveCapacity, archiveRows } from './archiveRows'
import { finishImport } from './finishImport'
import {
  createImport,
  type Import,
  type ImportOptions,
  type ImportReport,
  type NewOwner,
} from './importContext'
import {
  applyEntities,
  matchEntities,
  recordRename,
  requireUnchanged,
  stageEntities,
} from './importEntities'
import { applyExt, stageExt } from './importExt'
import { importAutoproxy, importGuilds } from './importGuilds'
import { applyOrigins, stageOrigins } from './importOrigins'
import { planPictures, requirePictures, rollBackPictures, stagePictures } from './importPictures'
import { importSwitches, switchCapacity } from './importSwitches'
import { applyTags, stageTags } from './importTagIndex'
import { asPrivate } from './privateImport'

/** Imports a file into the caller's system. */
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

/** Like `importFile`, for clients of the server, which imports few files at a time. */
export async function importLimited(
  deps: Deps,
  viewer: Viewer,
  file: ByteSource,
  options: ImportOptions,
  signal: AbortSignal,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  rejectUnknownLinks(viewer, options)
  const write = (received: ByteSource) => runImport(deps, received, systemId, options)
  return deps.importLimiter.run(systemId, file, write, signal)
}

/** Waits until the caller may send a file; returns false if that takes too long. */
export async function reserveImportPlace(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
): Promise<boolean> {
  return deps.importLimiter.places.reserve(requireSystem(viewer, 'import'), signal)
}

/** Creates a system from a file, with a token. */
export async function importNewSystem(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  requireOperator(viewer)
  return runImport(deps, file, null, options)
}

/** Creates a system from a file for an account that has none, and links the account to it. */
export async function importForAccount(
  deps: Deps,
  viewer: Viewer,
  file: ByteSource,
  options: Omit<ImportOptions, 'link'> & { owner: NewOwner },
  signal: AbortSignal | null,
): Promise<ImportReport> {
  const { account } = options.owner
  requirePlatformAuthority(viewer, account)
  if (await findAccount(deps.db, account)) throw error('conflict', 'the account has a system')
  // Checked again when the system is created. Here it spares the client the upload.
  if (deps.quotas.registration === 'closed') await requireRegistration(deps, deps.db, null)
  const write = (received: ByteSource) =>
    runImport(deps, received, null, { ...options, link: new Set([account]) })
  return deps.importLimiter.run(keyOfAccount(account), file, write, signal)
}

/** Negative, so that it is the ID of no system. */
function keyOfAccount(account: string): number {
  return -1 - Bun.hash.crc32(account)
}

/** Throws unless the caller may vouch for the accounts to link. */
function rejectUnknownLinks(viewer: Viewer, { link }: ImportOptions): void {
  if (link === 'all') requireOperator(viewer)
  else for (const account of link) requirePlatformAuthority(viewer, account)
}

/**
 * Imports a file of any known format, completely or not at all. Most rows are written in hidden
 * batches; one short transaction at the end writes the rest and makes all visible.
 */
async function runImport(
  deps: Deps,
  file: Uint8Array | ByteSource,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  try {
    const limits = await limitsFor(deps, systemId)
    const bytes = file instanceof Uint8Array ? [file] : file
    const chunks = deps.parseImport(bytes, { ...limits, public: options.isPublic })
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

/** Returns the maximum number of members and groups in a file. */
async function limitsFor(
  deps: Deps,
  systemId: number | null,
): Promise<Required<Pick<ReadOptions, 'maxMembers' | 'maxGroups'>>> {
  const { db, quotas } = deps
  if (systemId === null) return { maxMembers: quotas.members, maxGroups: quotas.groups }
  const { member_limit, group_limit } = await getSettings(deps, db, systemId)
  return {
    maxMembers: Math.max(member_limit, (await countEntities(db, memberRowKind, systemId)).all),
    maxGroups: Math.max(group_limit, (await countEntities(db, groupRowKind, systemId)).all),
  }
}

/** Members and groups precede the rows that refer to them. */
async function consumeChunks(
  deps: Deps,
  chunks: AsyncIterable<BundleChunk>,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  let work: Import | undefined
  let archive: ArchiveCapacity | undefined
  let areEntitiesStaged = false
  try {
    for await (const chunk of options.isPrivate ? asPrivate(chunks) : chunks) {
      if ('head' in chunk) {
        const capacity = await switchCapacity(deps.db, systemId)
        work = createImport(deps, systemId, chunk.head, options, capacity)
        await rejectExistingSystem(work)
        archive = await archiveCapacity(deps, systemId)
        continue
      }
      if (!work || !archive) throw new Error('first chunk of an import is not its head')
      if ('pictures' in chunk) work.pictures.push(...chunk.pictures)
      else if ('members' in chunk) work.members.push(...chunk.members)
      else if ('groups' in chunk) work.groups.push(...chunk.groups)
      else if ('ext' in chunk) work.ext[chunk.part].push(...chunk.ext)
      else if ('origins' in chunk) work.origins.push(...chunk.origins)
      else {
        if (!areEntitiesStaged) await stageAll(work)
        areEntitiesStaged = true
        if ('switches' in chunk) await importSwitches(work, chunk.switches)
        else if (options.only === null) await archiveRows(work, archive, chunk.kept)
      }
      await work.step(0)
    }
    if (!work) throw new Error('import has no head')
    if (!areEntitiesStaged) await stageAll(work)
    await stageExt(work)
    await stageOrigins(work)
    const report = options.dryRun ? await planReport(work) : await commitImport(work)
    return { ...report, renamed: report.renamed.toSorted(byKind) }
  } catch (cause) {
    // If this fails too, the import cleanup removes the rows later.
    if (work?.begun) {
      await rollBackPictures(work).catch(() => {})
      await rollBackStaging(deps, work.begun).catch(() => {})
    }
    throw cause
  }
}

function byKind(a: { kind: string }, b: { kind: string }): number {
  const kinds = ['system', 'member', 'group', 'switch']
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
}

async function stageAll(work: Import): Promise<void> {
  await planPictures(work)
  await matchEntities(work)
  if (work.options.dryRun) return
  await stagePictures(work)
  await stageEntities(work)
  await stageTags(work)
}

/** Throws if the system of the file exists already, because an import into it is more likely meant. */
async function rejectExistingSystem({ deps, systemId, head, options }: Import): Promise<void> {
  const { uuid } = head.system
  if (systemId !== null || options.allowsCopy === true || uuid === undefined) return
  const found = await findSystem(deps.db, uuid)
  if (!found) return
  const { hid } = found
  if (options.owner)
    throw error('conflict', 'the system of this file exists: link the account to it instead')
  throw error('conflict', `already here as ${hid}: use --system ${hid}, or --yes for a second copy`)
}

/** Completes the report of a dry run. */
async function planReport(work: Import): Promise<ImportReport> {
  const { deps, systemId, head, report, options } = work
  if (options.only === null)
    report.accounts = await planAccounts(deps.db, systemId, head.accounts, options.link)
  // The ID of a new system is not known before a real import.
  if (systemId !== null) return { ...report, system: (await getSystemById(deps.db, systemId)).hid }
  const { hid, uuid } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  recordRename(report, 'system', null, given, await freeSystemIdentity(deps.db, given))
  return report
}

/** Writes what was not staged and makes the import visible, in one short transaction. */
async function commitImport(work: Import): Promise<ImportReport> {
  const { deps, report } = work
  let oldTags: number | null = null
  const target = work.begun?.systemId ?? work.systemId
  const subject = target === null ? 'new' : { system: target }
  const staged = structuredClone(report)
  const finished = await deps.transact(
    subject,
    async (tx) => {
      // A transaction that meets a conflict is run again and must not count twice.
      Object.assign(report, structuredClone(staged))
      const staging = work.begun
      if (staging) await renewStaging(tx, staging, deps.now())
      await requireUnchanged(work, tx)
      const systemId = staging?.systemId ?? work.systemId
      if (systemId === null) throw error('internal')
      await requirePictures(work, tx, systemId)
      let isChanged = staging !== null
      if (work.systemId === null) await createImportedSystem(work, tx, systemId)
      if (work.options.only === null && (await importSystem(work, tx, systemId))) isChanged = true
      if (await applyEntities(work, tx, systemId)) isChanged = true
      if (await applyExt(work, tx, systemId)) isChanged = true
      if (await applyOrigins(work, tx, systemId)) isChanged = true
      oldTags = await applyTags(work, tx, systemId)
      if (work.options.only === null) {
        if (await importGuilds(work, tx, systemId)) isChanged = true
        if (await importAutoproxy(work, tx, systemId)) isChanged = true
      }
      return await finishImport(work, tx, systemId, isChanged)
    },
    'long',
  )
  // If this fails, the cleanup after the next start removes them.
  if (oldTags !== null) await purgeTags(deps, oldTags).catch(() => {})
  return finished
}

/** Gives the new system the IDs of the file as far as they are free, its owner's account, and a token. */
async function createImportedSystem(work: Import, tx: Db, systemId: number): Promise<void> {
  const { deps, head, report, options } = work
  const { hid, uuid, created } = head.system
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  const assigned = await nameSystem(tx, systemId, given, created ?? deps.now())
  recordRename(report, 'system', null, given, assigned)
  if (options.owner) {
    const { account, invite } = options.owner
    await requireRegistration(deps, tx, invite)
    await insertAccount(deps, tx, systemId, account)
  }
  if (options.isPrivate) {
    await updateSystem(deps, tx, systemId, privacyOf('private'))
    await updateSettings(deps, tx, systemId, privateByDefault)
  }
  await removeSetupCodes(tx)
  report.token = await insertToken(deps, tx, systemId, 'default')
}

/** Imports the system, its settings and accounts. Returns whether anything changed. */
async function importSystem(work: Import, tx: Db, systemId: number): Promise<boolean> {
  const { deps, head, report, options } = work
  const { patch, created } = head.system
  const before = [await getSystemById(tx, systemId), await getSettings(deps, tx, systemId)] as const
  // The file may know an earlier date of creation.
  const isEarlier = created !== undefined && created < (before[0].created ?? Infinity)
  const after = [
    (await updateSystem(deps, tx, systemId, { ...patch, ...(isEarlier && { created }) })).row,
    await updateSettings(deps, tx, systemId, head.settings),
  ]
  const isColored =
    head.colorHex !== undefined && (await storeColorHex(tx, systemId, head.colorHex))
  report.accounts = await planAccounts(tx, systemId, head.accounts, options.link)
  const areLinked = await linkImported(deps, tx, systemId, head.accounts, report.accounts)
  return JSON.stringify(before) !== JSON.stringify(after) || isColored || areLinked
}
