import type { BundleChunk } from '../../../formats/chunks'
import { error } from '../../../model/core/errors'
import { recordEvent } from '../../../store/events/recordEvent'
import { scheduleFriendRefresh } from '../../../store/friends/friendDues'
import { getSystemById } from '../../../store/systems/systemRows'
import { renewStaging } from '../../../store/transfer/stagedRows'
import type { Deps } from '../../core/deps'
import { rollBackStaging } from '../../systems/staging'
import { ImportedFile } from './importedFile'
import { createRun, type ImportOptions, type ImportReport, type ImportRun } from './importRun'
import type { ImportStep } from './importStep'

/**
 * Imports a file, completely or not at all: plans and stages one step after the other, and applies
 * all in one transaction. A dry run only plans.
 */
export async function runImport(
  deps: Deps,
  chunks: AsyncIterable<BundleChunk>,
  systemId: number | null,
  options: ImportOptions,
  createSteps: (run: ImportRun) => readonly ImportStep[],
): Promise<ImportReport> {
  const file = await ImportedFile.open(chunks)
  const run = await createRun(deps, systemId, file, options)
  const steps = createSteps(run)
  try {
    for (const step of steps)
      for await (const _ of file.read(step.reads, () => run.advance(0))) {
        await step.plan?.()
        if (!options.dryRun) await step.stage?.()
      }
    const report = options.dryRun ? run.report : await applySteps(run, steps)
    if (!options.dryRun) await cleanUp(steps, true)
    return { ...report, renamed: report.renamed.toSorted(byKind) }
  } catch (cause) {
    await cleanUp(steps, false)
    // If this fails, the import cleanup removes the rows later.
    if (run.begun) await rollBackStaging(deps, run.begun).catch(() => {})
    throw cause
  } finally {
    await file.close()
  }
}

/** Writes what was not staged and makes all visible, in one short transaction. */
async function applySteps(run: ImportRun, steps: readonly ImportStep[]): Promise<ImportReport> {
  const { deps, report, begun } = run
  const systemId = begun?.systemId ?? run.systemId
  if (systemId === null) throw error('internal')
  const planned = structuredClone(report)
  return deps.transact(
    { system: systemId },
    async (tx) => {
      // A transaction that meets a conflict is run again and must not count twice.
      Object.assign(report, structuredClone(planned))
      run.space.restart()
      if (begun) await renewStaging(tx, begun, deps.now())
      let isChanged = false
      for (const step of steps) if (await step.apply?.(tx, systemId)) isChanged = true
      if (isChanged)
        await recordEvent(tx, deps.now(), {
          system_id: systemId,
          type: 'SUCCESSFUL_IMPORT',
          subject: null,
          data: null,
        })
      await scheduleFriendRefresh(tx, systemId, deps.now())
      return { ...report, system: (await getSystemById(tx, systemId)).hid }
    },
    'long',
  )
}

async function cleanUp(steps: readonly ImportStep[], isCommitted: boolean): Promise<void> {
  // If this fails, the periodic cleanup deletes the rows later.
  for (const step of steps) await step.cleanUp?.(isCommitted).catch(() => {})
}

function byKind(a: { kind: string }, b: { kind: string }): number {
  const kinds = ['system', 'member', 'group', 'switch']
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind)
}
