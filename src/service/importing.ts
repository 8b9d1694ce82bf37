import type { Db } from '../db/open'
import { type Bundle, type Format, type Repair, UnreadableFile } from '../formats/bundle'
import { readFile } from '../formats/read'
import { error } from '../model/errors'
import type { Member } from '../model/member'
import { adoptAccount } from './accounts'
import { keepRows } from './archive'
import type { Deps } from './deps'
import { importGroups, importMembers } from './importingPeople'
import { importAutoproxy, importGuilds, importSwitches } from './importingRest'
import { tell } from './outbox'
import { getSettings, updateSettings } from './settings'
import { freeSystemIdentity, getSystemById, insertSystem, updateSystem } from './systems'
import { insertToken } from './tokens'

export const importParts = ['members', 'groups', 'switches'] as const
export type ImportPart = (typeof importParts)[number]

export interface ImportOptions {
  dryRun: boolean
  /** Only these of the file; everything when null. */
  only: ReadonlySet<ImportPart> | null
  /** Simply Plural only: what all friends could see becomes public instead of private. */
  isPublic: boolean
  /** Called now and then with how much of the work is done. */
  onProgress?: (done: number, total: number) => void
}

export interface Tally {
  added: number
  changed: number
  unchanged: number
  left_out: number
}

export interface ImportReport {
  format: Format
  dry_run: boolean
  /** Short ID of the system. */
  system: string
  /** Of a system that the import made; shown this once. */
  token?: string
  members: Tally
  groups: Tally
  memberships: Tally
  switches: Tally
  repairs: Repair[]
  renamed: { kind: string; from: string; to: string }[]
  kept: Record<string, number>
  skipped: Record<string, number>
}

/** One import under way. */
export interface Import {
  readonly deps: Deps
  readonly tx: Db
  readonly systemId: number
  readonly bundle: Bundle
  readonly options: ImportOptions
  readonly report: ImportReport
  /** Which member here each key of the file means. */
  readonly members: Map<string, Member>
  /** Whether anything was written at all. */
  touch(): void
  /** One more row is done. Lets others have their turn now and then. */
  step(): Promise<void>
}

/** Into which system: an existing one, or a new one with a token of its own. */
export type ImportTarget = { systemId: number } | 'new'

/** Writes a file of any known format in one transaction: all of it, or nothing. */
export async function importFile(
  deps: Deps,
  file: Uint8Array,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  const bundle = readOrRefuse(file, options)
  const undo = new DryRun()
  try {
    return await deps.transact(async (tx) => {
      const report = await writeBundle(deps, tx, bundle, target, options)
      if (!options.dryRun) return report
      undo.report = report
      throw undo
    })
  } catch (cause) {
    // A dry run does everything, and then takes it all back.
    if (cause === undo && undo.report) return undo.report
    throw cause
  }
}

function readOrRefuse(file: Uint8Array, { isPublic }: ImportOptions): Bundle {
  try {
    return readFile(file, { public: isPublic })
  } catch (cause) {
    if (!(cause instanceof UnreadableFile)) throw cause
    throw error(cause.reason === 'tooLarge' ? 'tooLarge' : 'badRequest', cause.message)
  }
}

class DryRun extends Error {
  report: ImportReport | undefined
}

async function writeBundle(
  deps: Deps,
  tx: Db,
  bundle: Bundle,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  const report = emptyReport(bundle, options)
  const systemId = target === 'new' ? await makeSystem(deps, tx, bundle, report) : target.systemId
  let isTouched = target === 'new'
  const work: Import = {
    deps,
    tx,
    systemId,
    bundle,
    options,
    report,
    members: new Map(),
    touch: () => {
      isTouched = true
    },
    step: steps(bundle, options),
  }
  if (options.only === null) await importSystem(work)
  await importMembers(work)
  await importGroups(work)
  await importSwitches(work)
  if (options.only === null) {
    await importGuilds(work)
    await importAutoproxy(work)
    if (await keepRows(tx, systemId, bundle.kept)) work.touch()
  }
  if (isTouched)
    await tell(tx, deps.now(), {
      system_id: systemId,
      type: 'SUCCESSFUL_IMPORT',
      subject: null,
      data: null,
    })
  const { hid } = await getSystemById(tx, systemId)
  return { ...report, system: hid }
}

/** A new system keeps the identity it had elsewhere, if nobody here has it. */
async function makeSystem(
  deps: Deps,
  tx: Db,
  { system: { hid, uuid, created } }: Bundle,
  report: ImportReport,
): Promise<number> {
  const given = { ...(hid && { hid }), ...(uuid && { uuid }) }
  const identity = await freeSystemIdentity(tx, given)
  const made = await insertSystem(tx, { created: created ?? deps.now() }, identity)
  if (hid && hid !== made.hid) report.renamed.push({ kind: 'system', from: hid, to: made.hid })
  if (!report.dry_run) report.token = await insertToken(deps, tx, made.id, 'default')
  return made.id
}

async function importSystem({ deps, tx, systemId, bundle, report, touch }: Import): Promise<void> {
  const before = [await getSystemById(tx, systemId), await getSettings(tx, systemId)]
  const after = [
    await updateSystem(deps, tx, systemId, bundle.system.patch),
    await updateSettings(deps, tx, systemId, bundle.settings),
  ]
  if (JSON.stringify(before) !== JSON.stringify(after)) touch()
  for (const account of bundle.accounts) {
    const outcome = await adoptAccount(tx, systemId, account)
    if (outcome === 'changed') touch()
    if (outcome === 'taken')
      report.repairs.push({
        kind: 'account',
        name: account.id,
        field: 'system',
        was: account.id,
        now: null,
        why: 'It is linked to another system here.',
      })
  }
}

/** Thousands of rows in a row would keep everyone else waiting. */
const TURN = 250

function steps({ members, groups, switches }: Bundle, { onProgress }: ImportOptions) {
  const total = members.length + groups.length + switches.length
  let done = 0
  return async () => {
    done += 1
    if (done % TURN !== 0 && done !== total) return
    onProgress?.(done, total)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function emptyReport(bundle: Bundle, { dryRun }: ImportOptions): ImportReport {
  const tally = () => ({ added: 0, changed: 0, unchanged: 0, left_out: 0 })
  const counts = Object.entries(bundle.kept).map(([name, rows]) => [name, rows.length])
  return {
    format: bundle.format,
    dry_run: dryRun,
    system: '',
    members: tally(),
    groups: tally(),
    memberships: tally(),
    switches: tally(),
    repairs: [...bundle.repairs],
    renamed: [],
    kept: Object.fromEntries(counts),
    skipped: bundle.skipped,
  }
}
