/** Version of the draft that this program reads and writes. */
export const PLURALPORT_VERSION = '0.1'

/** Keys that state the version of a file; the second one is from the time when it was OpenPlural. */
export const versionKeys = ['pluralport_version', 'openplural_version'] as const

/** Key under `extensions` for what the format has no place for. */
export const NAMESPACE = 'app.multitude'

/** Version of what is under our key of the whole file. */
export const NAMESPACE_VERSION = 1

/** Collections of archived rows have names of letters only. */
export function archiveName(...path: readonly string[]): string {
  const words = path.flatMap((name) => name.split(/[^a-z]+/i)).filter((word) => word !== '')
  const joined = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return `pluralport${joined}`.slice(0, MAX_ARCHIVE_NAME)
}

const MAX_ARCHIVE_NAME = 40

/** Returns our name of an app that the format names. */
export function appNameIn(app: string): string {
  return app === 'simply_plural' ? 'simplyplural' : app
}

export function appNameOut(app: unknown): unknown {
  return app === 'simplyplural' ? 'simply_plural' : app
}
