import type { BundleExtRow, BundleGroup, BundleMember, Repair } from '../../../formats/bundle'
import type { BundleChunk, BundleHead } from '../../../formats/chunks'
import { requireSystem, type Viewer } from '../../../model/core/privacy'
import { member } from '../../../model/members/member'
import { type OriginRow, originKey } from '../../../store/transfer/originRows'
import { requireNoImport } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { Entities } from '../import/importEntities'
import { MemberExts } from '../import/importMemberExts'
import type { ImportReport, ImportRun } from '../import/importRun'
import type { ImportStep } from '../import/importStep'
import { extSteps, Visibility } from '../import/importSteps'
import { KnownOrigins } from '../import/knownOrigins'
import { runImport } from '../import/runImport'
import { Remains, Replacement } from './conversionReplacement'
import { type ArchiveSource, readSource } from './conversionSource'
import { isFromOtherApp } from './placeholders'

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

/** Imports the archived rows as a file, into the members and groups that are here. */
async function convert(
  deps: Deps,
  systemId: number,
  { dryRun }: ConversionOptions,
): Promise<ImportReport> {
  await requireNoImport(deps.db, systemId, deps.now())
  const source = await readSource(deps, systemId)
  const chunks = withoutImported(deps.parseImport(source.file(), {}), source)
  const options = {
    dryRun,
    only: null,
    isPublic: false,
    isConversion: true,
    link: new Set<string>(),
  }
  return runImport(deps, chunks, systemId, options, (run) => conversionSteps(run, source))
}

function conversionSteps(run: ImportRun, source: ArchiveSource): ImportStep[] {
  const origins = new KnownOrigins(run)
  const entities = new Entities(run, origins)
  const memberExts = new MemberExts(run, entities)
  const remains = new Remains(run)
  return [
    entities,
    remains,
    ...extSteps(run, origins, entities, memberExts),
    new Replacement(run, source, origins, memberExts, remains),
    new Visibility(run),
  ]
}

/** Leaves out what was imported before: the system, switches, and values of members and groups. */
async function* withoutImported(
  chunks: AsyncIterable<BundleChunk>,
  source: ArchiveSource,
): AsyncGenerator<BundleChunk> {
  const people = new People(source)
  let hasOrigins = false
  for await (const chunk of chunks) {
    if ('kept' in chunk && !hasOrigins) {
      hasOrigins = true
      yield { origins: people.origins }
    }
    if ('head' in chunk) yield { head: withoutRepairs(chunk.head, source) }
    else if ('members' in chunk)
      yield { members: chunk.members.flatMap((row) => people.add(row) ?? []) }
    else if ('groups' in chunk)
      yield { groups: chunk.groups.flatMap((row) => withoutValues(row, source) ?? []) }
    else if ('ext' in chunk) yield { ...chunk, ext: chunk.ext.map((row) => people.rename(row)) }
    else if ('kept' in chunk) yield chunk
  }
  if (!hasOrigins) yield { origins: people.origins }
}

/** Members of the file that are here. Several rows may be the same member. */
class People {
  /** Origins of the further rows of members. */
  readonly origins: OriginRow[] = []
  readonly #keys = new Map<number, string>()
  /** Keys of members by those of their further rows. */
  readonly #duplicates = new Map<string, string>()

  constructor(readonly source: ArchiveSource) {}

  /** Returns the member without its values, which stay as they are here; null if it is not added. */
  add({ key, origin, ext = {} }: BundleMember): BundleMember | null {
    const existing = origin && this.source.members.get(originKey(origin))
    if (!existing) return null
    const first = this.#keys.get(existing.id)
    if (first !== undefined) {
      this.#duplicates.set(key, first)
      this.origins.push({ ...origin, target: existing.uuid })
      return null
    }
    this.#keys.set(existing.id, key)
    const { about } = ext
    const isConverted = this.source.placeholders.has(originKey(origin))
    return {
      key,
      uuid: existing.uuid,
      values: { name: existing.name },
      ext: isConverted ? (about === undefined ? {} : { about }) : ext,
      ...(!isFromOtherApp(origin.id) && { origin }),
    }
  }

  /** Returns a row that names each member by one key. */
  rename(row: BundleExtRow): BundleExtRow {
    if (this.#duplicates.size === 0) return row
    const keyOf = (key: string) => this.#duplicates.get(key) ?? key
    const refs = Object.entries(row.refs).map(([name, key]) => [
      name,
      name === 'member' || name === 'by' || name === 'for' ? key && keyOf(key) : key,
    ])
    const { contents } = row
    return {
      ...row,
      refs: Object.fromEntries(refs),
      ...(contents && { contents: { ...contents, members: contents.members.map(keyOf) } }),
    }
  }
}

function withoutValues(
  { key, origin, ext }: BundleGroup,
  source: ArchiveSource,
): BundleGroup | null {
  const existing = origin && source.groups.get(originKey(origin))
  if (!existing) return null
  return {
    key,
    uuid: existing.uuid,
    origin,
    values: { name: existing.name },
    members: [],
    ...(ext && !source.placeholders.has(originKey(origin)) && { ext }),
  }
}

function withoutRepairs(head: BundleHead, source: ArchiveSource): BundleHead {
  const extLeftOut = { ...head.extLeftOut }
  for (const [part, count] of source.leftOut) extLeftOut[part] += count
  return {
    ...head,
    repairs: [...source.repairs, ...head.repairs.filter(isOfConversion)],
    leftOut: { members: 0, groups: 0, memberships: 0, switches: 0 },
    extLeftOut,
  }
}

/** Selects repairs of what the conversion writes; the rest was written by the import before. */
function isOfConversion({ kind, field }: Repair): boolean {
  if (kind === 'member') return field !== 'pkId' && !Object.hasOwn(member.fields, field)
  if (kind === 'group') return field === 'parent' || field === 'emoji'
  return !['file', 'system', 'settings', 'switch'].includes(kind)
}
