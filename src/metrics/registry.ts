/** Numbers that are counted while the server works, and how Prometheus reads them. */

export interface Counter {
  value: number
}

export interface Histogram {
  observe(value: number): void
}

/** What a family of numbers is divided by. The values are ours: never what a client sent. */
type Labels = readonly string[]

interface Family {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly doc: string
  lines(): string[]
}

export interface Registry {
  /** Gives the counter with these values of its labels. */
  counter(name: string, doc: string, labels?: Labels): (...values: string[]) => Counter
  histogram(
    name: string,
    doc: string,
    bounds: readonly number[],
    labels?: Labels,
  ): (...values: string[]) => Histogram
  /** What is not counted but looked at, whenever somebody asks. Null leaves it out. */
  gauge(name: string, doc: string, look: () => number | null): void
  /** The same for several, by the values of one label. */
  gauges(
    name: string,
    doc: string,
    label: string,
    look: () => Readonly<Record<string, number>>,
  ): void
  /** As a gauge, for what only grows. */
  total(name: string, doc: string, look: () => number | null): void
  /** Words that never change, as the labels of a number that is always 1. */
  info(name: string, doc: string, words: Readonly<Record<string, string>>): void
  /** All of it in Prometheus’ text format. */
  render(): string
}

export function createRegistry(): Registry {
  const families: Family[] = []

  const one =
    (name: string, look: () => number | null): (() => string[]) =>
    () => {
      const value = look()
      return value === null ? [] : [`${name} ${renderNumber(value)}`]
    }

  return {
    counter(name, doc, labels = []) {
      const series = createSeries(labels, (): Counter => ({ value: 0 }))
      families.push({
        name,
        type: 'counter',
        doc,
        lines: () => series.all().map(([set, { value }]) => `${name}${inBraces(set)} ${value}`),
      })
      return series.of
    },
    histogram(name, doc, bounds, labels = []) {
      const series = createSeries(labels, () => createHistogram(bounds))
      families.push({
        name,
        type: 'histogram',
        doc,
        lines: () => series.all().flatMap(([set, one]) => one.lines(name, set)),
      })
      return series.of
    },
    gauge: (name, doc, look) =>
      void families.push({ name, type: 'gauge', doc, lines: one(name, look) }),
    total: (name, doc, look) =>
      void families.push({ name, type: 'counter', doc, lines: one(name, look) }),
    gauges: (name, doc, label, look) =>
      void families.push({
        name,
        type: 'gauge',
        doc,
        lines: () =>
          Object.entries(look()).map(
            ([value, number]) => `${name}{${renderLabel(label, value)}} ${renderNumber(number)}`,
          ),
      }),
    info(name, doc, words) {
      const labels = Object.entries(words).map(([label, value]) => renderLabel(label, value))
      families.push({ name, type: 'gauge', doc, lines: () => [`${name}{${labels.join()}} 1`] })
    },
    render() {
      const lines = families.flatMap(({ name, type, doc, lines: spellAll }) => {
        const spelled = spellAll()
        if (spelled.length === 0) return []
        return [`# HELP ${name} ${doc}`, `# TYPE ${name} ${type}`, ...spelled]
      })
      return `${lines.join('\n')}\n`
    },
  }
}

interface Series<T> {
  of(...values: string[]): T
  all(): [labels: string, T][]
}

function createSeries<T>(labels: Labels, make: () => T): Series<T> {
  const known = new Map<string, T>()
  return {
    of(...values) {
      const name = labels.map((label, at) => renderLabel(label, values[at] ?? '')).join()
      const found = known.get(name) ?? make()
      known.set(name, found)
      return found
    },
    all: () => [...known],
  }
}

interface RenderedHistogram extends Histogram {
  lines(name: string, labels: string): string[]
}

function createHistogram(bounds: readonly number[]): RenderedHistogram {
  const counts = new Array<number>(bounds.length + 1).fill(0)
  let sum = 0
  return {
    observe(value) {
      let at = 0
      while (value > (bounds[at] ?? Number.POSITIVE_INFINITY)) at++
      counts[at] = (counts[at] ?? 0) + 1
      sum += value
    },
    lines(name, labels) {
      const rest = labels === '' ? '' : `${labels},`
      let all = 0
      const buckets = counts.map((count, at) => {
        all += count
        const bound = bounds[at] ?? '+Inf'
        return `${name}_bucket{${rest}le="${bound}"} ${all}`
      })
      const set = inBraces(labels)
      return [...buckets, `${name}_sum${set} ${renderNumber(sum)}`, `${name}_count${set} ${all}`]
    },
  }
}

function inBraces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`
}

function renderLabel(name: string, value: string): string {
  const escaped = value.replace(/[\\"\n]/g, (sign) => (sign === '\n' ? '\\n' : `\\${sign}`))
  return `${name}="${escaped}"`
}

/** Sums of fractions would else have digits that mean nothing. */
function renderNumber(value: number): string {
  return String(Number(value.toPrecision(15)))
}
