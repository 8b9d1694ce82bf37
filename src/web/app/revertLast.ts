/** Reverts what the toast announces. Where switches can be made offline, the code is loaded before. */
export async function revertLast(): Promise<void> {
  const { undo } = await import('./undo')
  await undo()
}
