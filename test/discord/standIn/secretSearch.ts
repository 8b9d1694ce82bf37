/** Characters at the start and the end of a long secret that identify it. */
const FRAGMENT = 20

/**
 * Finds secrets in what a program wrote: logs, database files, metrics. Searches for each secret as
 * it is and percent-encoded, and for its start and end, because logs truncate and files have pages.
 * Returns where a secret was found, without the secret itself.
 */
export function findSecrets(
  written: Record<string, string | Uint8Array>,
  secrets: Iterable<string>,
): string[] {
  const needles = [...secrets].flatMap((secret, number) =>
    fragmentsOf(secret).map((text) => ({ number, bytes: Buffer.from(text) })),
  )
  return Object.entries(written).flatMap(([name, content]) => {
    const haystack = Buffer.from(content)
    const found = needles.flatMap(({ number, bytes }) => {
      const at = haystack.indexOf(bytes)
      return at < 0 ? [] : [{ number, at }]
    })
    const first = new Map(found.toReversed().map(({ number, at }) => [number, at]))
    return [...first].map(([number, at]) => `${name} contains secret ${number} at byte ${at}`)
  })
}

function fragmentsOf(secret: string): string[] {
  const parts =
    secret.length >= 2 * FRAGMENT ? [secret.slice(0, FRAGMENT), secret.slice(-FRAGMENT)] : [secret]
  return [...new Set(parts.flatMap((part) => [part, encodeURIComponent(part)]))]
}
