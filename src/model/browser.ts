/** What a browser is called among the devices somebody is logged in on. */

const systems: readonly [RegExp, string][] = [
  [/Android/, 'Android'],
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Windows/, 'Windows'],
  [/Macintosh|Mac OS X/, 'Mac'],
  [/CrOS/, 'ChromeOS'],
  [/Linux|X11/, 'Linux'],
]

/** The special ones first: each of them says that it is Chrome or Safari, too. */
const browsers: readonly [RegExp, string][] = [
  [/Edg(e|A|iOS)?\//, 'Edge'],
  [/OPR\/|Opera/, 'Opera'],
  [/SamsungBrowser\//, 'Samsung Internet'],
  [/Vivaldi\//, 'Vivaldi'],
  [/Firefox\/|FxiOS\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const MOST_LETTERS = 100

/** "Firefox on Android"; what no browser says is named by its first word. */
export function nameBrowser(userAgent: string | null): string {
  const given = userAgent ?? ''
  const find = (names: typeof systems) => names.find(([pattern]) => pattern.test(given))?.[1]
  const browser = find(browsers)
  const system = find(systems)
  if (browser && system) return `${browser} on ${system}`
  const [word = ''] = given.split(/[\s/]/)
  return browser ?? (word.slice(0, MOST_LETTERS) || 'A browser')
}
