import { type ReadOptions, UnreadableFile } from '../../../formats/bundle'
import type { ByteSource } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import {
  requireOperator,
  requirePlatformAuthority,
  requireSystem,
  type Viewer,
} from '../../../model/core/privacy'
import { findAccount } from '../../../store/access/accountRows'
import { countEntities } from '../../../store/core/entityRows'
import { groupRowKind } from '../../../store/groups/groupRows'
import { memberRowKind } from '../../../store/members/memberRows'
import { getSettings } from '../../../store/systems/settingRows'
import { requireRegistration } from '../../access/requireRegistration'
import type { Deps } from '../../core/deps'
import type { ImportOptions, ImportReport, NewOwner } from './importRun'
import { importSteps } from './importSteps'
import { asPrivate } from './privateImport'
import { runImport } from './runImport'

/** Imports a file into the caller's system. */
export async function importFile(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  rejectUnknownLinks(viewer, options)
  return importBytes(deps, file, systemId, options)
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
  const write = (received: ByteSource) => importBytes(deps, received, systemId, options)
  return deps.importLimiter.run(systemId, file, write, signal)
}

/** Waits until the caller may send a file; returns false if that takes too long. */
export async function reserveImportPlace(
  deps: Deps,
  viewer: Viewer,
  signal: AbortSignal,
): Promise<boolean> {
  return deps.importLimiter.uploadQueue.reserve(requireSystem(viewer, 'import'), signal)
}

/** Creates a system from a file, with a token. */
export async function importNewSystem(
  deps: Deps,
  viewer: Viewer,
  file: Uint8Array | ByteSource,
  options: ImportOptions,
): Promise<ImportReport> {
  requireOperator(viewer)
  return importBytes(deps, file, null, options)
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
    importBytes(deps, received, null, { ...options, link: new Set([account]) })
  return deps.importLimiter.run(keyOfAccount(account), file, write, signal)
}

/** Negative, so that it is the ID of no system. */
function keyOfAccount(account: string): number {
  return -1 - Bun.hash.crc32(account)
}

function rejectUnknownLinks(viewer: Viewer, { link }: ImportOptions): void {
  if (link === 'all') requireOperator(viewer)
  else for (const account of link) requirePlatformAuthority(viewer, account)
}

async function importBytes(
  deps: Deps,
  file: Uint8Array | ByteSource,
  systemId: number | null,
  options: ImportOptions,
): Promise<ImportReport> {
  try {
    const limits = await limitsFor(deps, systemId)
    const bytes = file instanceof Uint8Array ? [file] : file
    const chunks = deps.parseImport(bytes, { ...limits, public: options.isPublic })
    const visible = options.isPrivate ? asPrivate(chunks) : chunks
    return await runImport(deps, visible, systemId, options, importSteps)
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
