/** Reverts what the toast announces. The code is loaded with the session. */
export async function revertLast(): Promise<void> {
  const { undo } = await import('./offline/start')
  await undo()
}
