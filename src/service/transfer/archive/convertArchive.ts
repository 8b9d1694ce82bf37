import type { BundleGroup, BundleMember, Repair } from '../../../formats/bundle'
import type { ArchivedRow, BundleHead } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import { member } from '../../../model/members/member'
import { extParts, forEachExtPart } from '../../../model/transfer/transfer'
import { getSystemById } from '../../../store/systems/systemRows'
import { originKey } from '../../../store/transfer/originRows'
import { renewStaging, requireNoImport } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { purgeArchive } from '../../systems/purge'
import { rollBackStaging } from '../../systems/staging'
import { finishImport } from '../import/finishImport'
import { createImport, type Import, type ImportReport } from '../import/importContext'
import { matchEntities, requireUnchanged } from '../import/importEntities'
import { applyExt, stageExt } from '../import/importExt'
import { applyOrigins, stageOrigins } from '../import/importOrigins'
import { markSeen, replaceRows } from './conversionReplacement'
import { type ArchiveSource, readSource } from './conversionSource'
import { isOwnMember } from './conversionStubs'

export interface ConversionOptions {
  dryRun: boolean
}

/**
 * Turns archived rows of Simply Plural into objects, with the reader of the import. Rows that were
 * read leave the archive; what they have without a counterpart stays.
 */
export async function convertArchive(
  deps: Deps,
  viewer: Viewer,
  options: ConversionOptions,
): Promise<ImportReport> {
  return await convert(deps, requireSystem(viewer, 'import'), options)
}

/** Like `convertArchive`, for clients of the server, which runs few imports at a time. */
export async function convertLimited(
  deps: Deps,
  viewer: Viewer,
  options: ConversionOptions,
  signal: AbortSignal,
): Promise<ImportReport> {
  const systemId = requireSystem(viewer, 'import')
  await requireNoImport(deps.db, systemId, deps.now())
  return deps.importLimiter.run(systemId, [], () => convert(deps, systemId, options), signal)
}

async function convert(
  deps: Deps,
  systemId: number,
  { dryRun }: ConversionOptions,
): Promise<ImportReport> {
  await requireNoImport(deps.db, systemId, deps.now())
  const source = await readSource(deps, systemId)
  const parsed = await parseSource(deps, source)
  const options = {
    dryRun,
    only: null,
    isPublic: false,
    isConversion: true,
    link: new Set<string>(),
  }
  const work = createImport(deps, systemId, parsed.head, options, 0)
  try {
    const twins = addEntities(work, source, parsed)
    await matchEntities(work)
    requireAllFound(work)
    for (const [key, id] of twins) work.memberIds.set(key, id)
    for (const part of extParts) work.ext[part].push(...parsed.ext[part])
    await stageExt(work)
    await stageOrigins(work)
    const seen = await replaceRows(work, source, parsed.kept)
    if (dryRun) return { ...work.report, system: (await getSystemById(deps.db, systemId)).hid }
    const report = await commit(work, systemId)
    await markSeen(deps, systemId, seen)
    // If this fails, the import cleanup removes the rows later.
    await purgeArchive(deps).catch(() => {})
    return report
  } catch (cause) {
    // If this fails too, the import cleanup removes the rows later.
    if (work.begun) await rollBackStaging(deps, work.begun).catch(() => {})
    throw cause
  }
}

interface ParsedSource {
  head: BundleHead
  members: BundleMember[]
  groups: BundleGroup[]
  ext: Import['ext']
  /** Rows that the reader leaves. */
  kept: ArchivedRow[]
}

/** Parses the rows as a file. The switches are here already. */
async function parseSource(deps: Deps, source: ArchiveSource): Promise<ParsedSource> {
  let head: BundleHead | undefined
  const parsed: Omit<ParsedSource, 'head'> = {
    members: [],
    groups: [],
    ext: forEachExtPart(() => []),
    kept: [],
  }
  for await (const chunk of deps.parseImport(source.file(), {}))
    if ('head' in chunk) head = chunk.head
    else if ('members' in chunk) parsed.members.push(...chunk.members)
    else if ('groups' in chunk) parsed.groups.push(...chunk.groups)
    else if ('ext' in chunk) parsed.ext[chunk.part].push(...chunk.ext)
    else if ('kept' in chunk) parsed.kept.push(...chunk.kept)
  if (!head) throw new Error('conversion has no head')
  const leftOut = { members: 0, groups: 0, memberships: 0, switches: 0 }
  const extLeftOut = { ...head.extLeftOut }
  for (const [part, count] of source.leftOut) extLeftOut[part] += count
  const repairs = [...source.repairs, ...head.repairs.filter(isOfConversion)]
  return { ...parsed, head: { ...head, repairs, leftOut, extLeftOut } }
}

/** Selects repairs of what the conversion writes; the rest was written by the import before. */
function isOfConversion({ kind, field }: Repair): boolean {
  if (kind === 'member') return field !== 'pkId' && !Object.hasOwn(member.fields, field)
  if (kind === 'group') return field === 'parent' || field === 'emoji'
  return !['file', 'system', 'settings', 'switch'].includes(kind)
}

/**
 * Adds the members and groups that were found, without their values, which stay as they are here.
 * Returns the keys of further rows of the same members, with row IDs.
 */
function addEntities(
  work: Import,
  source: ArchiveSource,
  { members, groups }: ParsedSource,
): Map<string, number> {
  const twins = new Map<string, number>()
  const used = new Set<number>()
  for (const { key, origin, ext = {} } of members) {
    const found = origin && source.members.get(originKey(origin))
    if (!found) continue
    if (used.has(found.id)) {
      twins.set(key, found.id)
      work.newOrigins.push({ ...origin, target: found.uuid })
      continue
    }
    used.add(found.id)
    const isStub = source.stubs.has(originKey(origin))
    const { about } = ext
    work.members.push({
      key,
      uuid: found.uuid,
      values: { name: found.name },
      ext: isStub ? (about === undefined ? {} : { about }) : ext,
      ...(!isOwnMember(origin.id) && { origin }),
    })
  }
  for (const { key, origin, ext } of groups) {
    const found = origin && source.groups.get(originKey(origin))
    if (!found) continue
    work.groups.push({
      key,
      uuid: found.uuid,
      origin,
      values: { name: found.name },
      members: [],
      ...(ext && !source.stubs.has(originKey(origin)) && { ext }),
    })
  }
  return twins
}

/** Throws if a member or group was deleted since the archive was read; a conversion adds none. */
function requireAllFound({ matched }: Import): void {
  const all = [...matched.members, ...matched.groups]
  if (all.some(({ incoming, found }) => found?.uuid !== incoming.uuid))
    throw error('conflict', 'members or groups were changed by another request; convert again')
}

/** Makes the conversion visible, in one short transaction. */
async function commit(work: Import, systemId: number): Promise<ImportReport> {
  const { deps, report } = work
  const staged = structuredClone(report)
  return await deps.transact(
    { system: systemId },
    async (tx) => {
      // A transaction that meets a conflict is run again and must not count twice.
      Object.assign(report, structuredClone(staged))
      const staging = work.begun
      if (staging) await renewStaging(tx, staging, deps.now())
      await requireUnchanged(work, tx)
      let isChanged = staging !== null
      if (await applyExt(work, tx, systemId)) isChanged = true
      if (await applyOrigins(work, tx, systemId)) isChanged = true
      return await finishImport(work, tx, systemId, isChanged)
    },
    'long',
  )
}
