/** Parses rendered metrics, for `multitude status`. */

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
        labels: Object.fromEntries(pairs.map(([, key = '', label = '']) => [key, label])),
        value: Number(value),
      },
    ]
  })
}

/** Sums the samples with this name and matching labels. */
export function sumOf(
  samples: readonly Sample[],
  name: string,
  matches: (labels: Sample['labels']) => boolean = () => true,
): number {
  return samples
    .filter((sample) => sample.name === name && matches(sample.labels))
    .reduce((sum, { value }) => sum + value, 0)
}

/** Smallest bucket bound with at least this part of a histogram's values below it; null if it has none. */
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
