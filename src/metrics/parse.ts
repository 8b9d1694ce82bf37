/** Reads back what a server spelled, for whoever looks at it without Prometheus. */

export interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

export function parseSamples(text: string): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
    if (name === undefined) return []
    const pairs = [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)]
    return [
      {
        name,
        labels: Object.fromEntries(pairs.map(([, key = '', said = '']) => [key, said])),
        value: Number(value),
      },
    ]
  })
}

/** The sum of all that have the name, and labels that fit. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  fits: (labels: Sample['labels']) => boolean = () => true,
): number {
  return samples
    .filter((sample) => sample.name === name && fits(sample.labels))
    .reduce((sum, { value }) => sum + value, 0)
}

/** Below which bound so large a part of a histogram lies; null where nothing was counted. */
export function quantileBound(
  samples: readonly Sample[],
  name: string,
  part: number,
): number | null {
  const buckets = Map.groupBy(
    samples.filter((sample) => sample.name === `${name}_bucket`),
    ({ labels }) => labels.le ?? '',
  )
  const counts = [...buckets].map(([le, all]) => ({
    bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le),
    count: all.reduce((sum, { value }) => sum + value, 0),
  }))
  const sorted = counts.toSorted((a, b) => a.bound - b.bound)
  const all = sorted.at(-1)?.count ?? 0
  if (all === 0) return null
  return sorted.find(({ count }) => count >= all * part)?.bound ?? null
}
