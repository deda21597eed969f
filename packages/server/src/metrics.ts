/** A Prometheus histogram: each bucket counts the values up to its bound. */
export interface Histogram {
  readonly observe: (value: number) => void
  readonly lines: (name: string, labels?: Labels) => string[]
}

export type Labels = Readonly<Record<string, string>>

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0)
  let sum = 0
  let count = 0
  return {
    observe: (value) => {
      sum += value
      count += 1
      bounds.forEach((bound, index) => {
        if (value <= bound) counts[index] = (counts[index] ?? 0) + 1
      })
    },
    lines: (name, labels = {}) => [
      ...bounds.map(
        (bound, index) => `${name}_bucket${formatLabels({ ...labels, le: String(bound) })} ${counts[index]}`,
      ),
      `${name}_bucket${formatLabels({ ...labels, le: '+Inf' })} ${count}`,
      `${name}_sum${formatLabels(labels)} ${sum}`,
      `${name}_count${formatLabels(labels)} ${count}`,
    ],
  }
}

export const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** A metric that goes up and down, or only up if its type is `counter`. */
export interface Gauge {
  readonly name: string
  readonly type?: 'counter'
  readonly help: string
  readonly value: number
}

export interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  readonly labels?: Labels | undefined
  readonly value: number | Histogram
}

/** Writes the Prometheus text format. Metrics with the same name and other labels share one header. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = [...Map.groupBy(metrics, ({ name }) => name)].flatMap(([name, same]) => [
    `# HELP ${name} ${same[0]?.help}`,
    `# TYPE ${name} ${same[0]?.type}`,
    ...same.flatMap(({ labels = {}, value }) =>
      typeof value === 'number' ? [`${name}${formatLabels(labels)} ${value}`] : value.lines(name, labels),
    ),
  ])
  return `${lines.join('\n')}\n`
}

function formatLabels(labels: Labels): string {
  const all = Object.entries(labels).map(([name, value]) => `${name}="${value.replaceAll(/["\\\n]/g, '_')}"`)
  return all.length === 0 ? '' : `{${all.join(',')}}`
}

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Metrics of all answers of this process. They are not per space, since a refused request belongs to none. */
export interface RequestMetrics {
  readonly observe: (status: number, ms: number) => void
  readonly metrics: () => readonly Metric[]
}

export function createRequestMetrics(): RequestMetrics {
  const counts = new Map<number, number>()
  const seconds = createHistogram(SECONDS)
  return {
    observe: (status, ms) => {
      counts.set(status, (counts.get(status) ?? 0) + 1)
      seconds.observe(ms / 1_000)
    },
    metrics: () => [
      ...[...counts]
        .toSorted(([a], [b]) => a - b)
        .map(
          ([status, value]): Metric => ({
            name: 'panoptes_http_requests_total',
            type: 'counter',
            help: 'Answered requests by status. 401 and 403: access refused. 429: too many requests.',
            labels: { status: String(status) },
            value,
          }),
        ),
      {
        name: 'panoptes_http_request_seconds',
        type: 'histogram',
        help: 'Time to answer a request.',
        value: seconds,
      },
    ],
  }
}
