/** Counters, histograms and gauges, rendered in the text format of Prometheus. */

export interface Counter {
  value: number
}

export interface Histogram {
  observe(value: number): void
}

/** Label names of a metric. Label values are never taken from client input. */
type Labels = readonly string[]

interface Family<Values> {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly doc: string
  lines(values: Values): string[]
}

/** `Values` are read elsewhere and passed to `render`. */
export interface Registry<Values> {
  /** Returns a function that finds or creates the counter with these label values. */
  counter(name: string, doc: string, labels?: Labels): (...values: string[]) => Counter
  histogram(
    name: string,
    doc: string,
    bounds: readonly number[],
    labels?: Labels,
  ): (...values: string[]) => Histogram
  /** Adds a value that is read at each scrape; null omits it. */
  gauge(name: string, doc: string, read: (values: Values) => number | null): void
  /** Adds several gauges, by the values of one label. */
  gauges(
    name: string,
    doc: string,
    label: string,
    read: (values: Values) => Readonly<Record<string, number>>,
  ): void
  /** Adds a counter that is read at each scrape. */
  total(name: string, doc: string, read: () => number | null): void
  /** Adds a metric that is always 1 and has these labels. */
  info(name: string, doc: string, labels: Readonly<Record<string, string>>): void
  /** Returns all metrics in the text format of Prometheus. */
  render(values: Values): string
}

export function createRegistry<Values = void>(): Registry<Values> {
  const families: Family<Values>[] = []

  const single =
    (name: string, read: (values: Values) => number | null): Family<Values>['lines'] =>
    (values) => {
      const value = read(values)
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
      return series.get
    },
    histogram(name, doc, bounds, labels = []) {
      const series = createSeries(labels, () => createHistogram(bounds))
      families.push({
        name,
        type: 'histogram',
        doc,
        lines: () => series.all().flatMap(([set, histogram]) => histogram.lines(name, set)),
      })
      return series.get
    },
    gauge: (name, doc, read) =>
      void families.push({ name, type: 'gauge', doc, lines: single(name, read) }),
    total: (name, doc, read) =>
      void families.push({ name, type: 'counter', doc, lines: single(name, read) }),
    gauges: (name, doc, label, read) =>
      void families.push({
        name,
        type: 'gauge',
        doc,
        lines: (values) =>
          Object.entries(read(values)).map(
            ([value, number]) => `${name}{${renderLabel(label, value)}} ${renderNumber(number)}`,
          ),
      }),
    info(name, doc, labels) {
      const rendered = Object.entries(labels).map(([label, value]) => renderLabel(label, value))
      families.push({ name, type: 'gauge', doc, lines: () => [`${name}{${rendered.join()}} 1`] })
    },
    render(values) {
      const lines = families.flatMap(({ name, type, doc, lines: renderSamples }) => {
        const samples = renderSamples(values)
        if (samples.length === 0) return []
        return [`# HELP ${name} ${doc}`, `# TYPE ${name} ${type}`, ...samples]
      })
      return `${lines.join('\n')}\n`
    },
  }
}

interface Series<T> {
  get(...values: string[]): T
  all(): [labels: string, T][]
}

function createSeries<T>(labels: Labels, create: () => T): Series<T> {
  const metrics = new Map<string, T>()
  return {
    get(...values) {
      const name = labels.map((label, index) => renderLabel(label, values[index] ?? '')).join()
      const metric = metrics.get(name) ?? create()
      metrics.set(name, metric)
      return metric
    },
    all: () => [...metrics],
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
      let index = 0
      while (value > (bounds[index] ?? Number.POSITIVE_INFINITY)) index++
      counts[index] = (counts[index] ?? 0) + 1
      sum += value
    },
    lines(name, labels) {
      const rest = labels === '' ? '' : `${labels},`
      let all = 0
      const buckets = counts.map((count, index) => {
        all += count
        const bound = bounds[index] ?? '+Inf'
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

/** Rounds away the floating-point noise of sums. */
function renderNumber(value: number): string {
  return String(Number(value.toPrecision(15)))
}
