import { toast } from '../core/actions'

/** Reverts what the toast announces. Where switches can be made offline, the code is loaded before. */
export async function revertLast(): Promise<void> {
  // The toast may end before the code is loaded.
  const shown = toast.value
  const { undo } = await import('./undo')
  await undo(shown)
}
