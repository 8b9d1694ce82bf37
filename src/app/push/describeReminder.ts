import type { Viewer } from '../../model/privacy'
import type { Deps } from '../../service/deps'

/** Returns the name and text of a reminder for its notification; null if it was deleted. */
export async function describeReminder(
  _deps: Deps,
  _viewer: Viewer,
  _id: string,
): Promise<{ name: string; text: string | null } | null> {
  return null
}
