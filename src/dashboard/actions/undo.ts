import { signal } from '@preact/signals'
import { errorMessage, request } from '../api/client'
import { announce, attempt, createSwitch, removeSwitch, showToast, toast } from '../core/actions'
import { canLog, queueReady } from '../core/store'
import type { Toast, Undo } from '../core/toastStorage'
import { strings } from '../texts/texts'

/** Toast that was reverted last; a second press does nothing. */
const reverted = signal<Toast | null>(null)

/** Reverts what a toast announces. If that fails, the toast stays and shows the reason. */
export async function undo(shown: Toast | null): Promise<void> {
  const step = shown?.undo
  if (!step || shown === reverted.value) return
  reverted.value = shown
  if (toast.value === shown) toast.value = null
  await queueReady.value
  const isQueued = step.kind === 'removeSwitches' || step.kind === 'restoreSwitch'
  const run = async () => {
    await revert(step)
    announce(strings.isUndone)
  }
  const problem = await attempt(run, errorMessage, isQueued ? canLog.value : undefined)
  if (problem !== '') showToast({ text: problem, undo: step })
}

/** The toast may be older than this page, so the code of the change is possibly not loaded yet. */
async function revert(step: Undo): Promise<void> {
  switch (step.kind) {
    case 'removeSwitches':
      for (const id of step.ids) await removeSwitch(id)
      return
    case 'restoreSwitch':
      await createSwitch(step.members, step.at, step.statuses)
      return
    case 'changeSwitch':
      return await (await import('./historyActions')).changeSwitch(step.id, step.change)
    case 'create':
      return void (await request(step.path, { method: 'POST', body: step.body }))
    case 'changeMemberships': {
      const { updateMembers } = await import('./groupActions')
      return await updateMembers(step.group, step.added, step.removed)
    }
    case 'changeLevels': {
      const { restoreLevels } = await import('./privacyPresets')
      return await restoreLevels(step.changes)
    }
    case 'changeArchived': {
      const { changeArchived } = await import('./memberActions')
      return await changeArchived(step.uuid, step.change)
    }
    case 'changeSystemLevels': {
      const { changeSystemLevels } = await import('./privacyPresets')
      return await changeSystemLevels(step.levels)
    }
  }
}
