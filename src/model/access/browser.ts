/** Names of browsers in the list of logged-in devices. */

const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** Derived browsers first, because their user agents also contain Chrome or Safari. */
const browsers: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Vivaldi\//, 'Vivaldi'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const MAX_LENGTH = 100

/** Returns a name like "Firefox on Android", or the first word of an unknown user agent. */
export function nameBrowser(userAgent: string | null): string {
  const text = userAgent ?? ''
  const find = (names: typeof systems) => names.find(([pattern]) => pattern.test(text))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser && system) return `${browser} on ${system}`
  const [word = ''] = text.split(/[\s/]/)
  return browser ?? (word.slice(0, MAX_LENGTH) || 'A browser')
}
