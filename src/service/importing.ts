import type { Db } from '../db/handle'
import { type Bundle, UnreadableFile } from '../formats/bundle'
import { readInSteps } from '../formats/read'
import { error } from '../model/errors'
import { adoptAccount } from './accounts'
import { keepRows } from './archive'
import type { Deps } from './deps'
import { importGroups, importMembers, noteRenamed } from './importingPeople'
import { importAutoproxy, importGuilds, importSwitches } from './importingRest'
import type { Import, ImportOptions, ImportReport } from './importWork'
import { tell } from './outbox'
import { getSettings, updateSettings } from './settings'
import { freeSystemIdentity, getSystemById, insertSystem, updateSystem } from './systems'
import { insertToken } from './tokens'
import { takeTurns } from './turns'

/** Into which system: an existing one, or a new one with a token of its own. */
export type ImportTarget = { systemId: number } | 'new'

/** Writes a file of any known format in one transaction: all of it, or nothing. */
export async function importFile(
  deps: Deps,
  file: Uint8Array,
  target: ImportTarget,
  options: ImportOptions,
): Promise<ImportReport> {
  const bundle = await readOrRefuse(file, options)
  const undo = new DryRun()
  try {
    return await deps.transact(async (tx) => {
      const report = await writeBundle(deps, tx, bundle, target, options)
      if (!options.dryRun) return report
      undo.report = report
      throw undo
    }, 'long')
  } catch (cause) {
    // A dry run does everything, and then takes it all back.
    if (cause === undo && undo.report) return undo.report
    throw cause
  }
}

async function readOrRefuse(file: Uint8Array, { isPublic }: ImportOptions): Promise<Bundle> {
  const giveWay = takeTurns()
  const steps = readInSteps(file, { public: isPublic })
  try {
    for (;;) {
      const { done, value } = steps.next()
      if (done) return value
      await giveWay()
    }
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
    if (await keepRows(tx, systemId, bundle.kept, work.step)) work.touch()
  }
  if (isTouched)
    await tell(tx, deps.now(), {
      system_id: systemId,
      type: 'SUCCESSFUL_IMPORT',
      subject: null,
      data: null,
    })
  const { hid } = await getSystemById(tx, systemId)
  // One that was only tried out has no ID that anybody could use.
  return { ...report, system: target === 'new' && options.dryRun ? '' : hid }
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
  noteRenamed(report, 'system', given, made)
  if (!report.dry_run) report.token = await insertToken(deps, tx, made.id, 'default')
  return made.id
}

async function importSystem({ deps, tx, systemId, bundle, report, touch }: Import): Promise<void> {
  const { patch, created } = bundle.system
  const before = [await getSystemById(tx, systemId), await getSettings(tx, systemId)] as const
  // A file tells of the past: it may know an earlier beginning.
  const isEarlier = created !== undefined && created < (before[0].created ?? Infinity)
  const after = [
    await updateSystem(deps, tx, systemId, { ...patch, ...(isEarlier && { created }) }),
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
        why: 'linked to another system here',
      })
  }
}

/** Counts what is done; between two rows others have their turn. */
function steps(bundle: Bundle, { only, onProgress }: ImportOptions): Import['step'] {
  const { members, groups, switches } = bundle
  const aside = only === null ? Object.values(bundle.kept).flat().length : 0
  const total = members.length + groups.length + switches.length + aside
  const giveWay = takeTurns()
  let done = 0
  return async (rows = 1) => {
    done += rows
    if ((await giveWay()) || done === total) onProgress?.(done, total)
  }
}

function emptyReport(bundle: Bundle, { dryRun, only }: ImportOptions): ImportReport {
  const tally = () => ({ added: 0, changed: 0, unchanged: 0, left_out: 0 })
  const kept = only === null ? Object.entries(bundle.kept) : []
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
    kept: Object.fromEntries(kept.map(([name, rows]) => [name, rows.length])),
    skipped: bundle.skipped,
  }
}
