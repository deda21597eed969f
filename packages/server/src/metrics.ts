/** A histogram as Prometheus counts it: each bucket holds what is not over its bound. */
export interface Histogram {
  readonly observe: (value: number) => void
  readonly lines: (name: string) => string[]
}

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
    lines: (name) => [
      ...bounds.map((bound, index) => `${name}_bucket{le="${bound}"} ${counts[index]}`),
      `${name}_bucket{le="+Inf"} ${count}`,
      `${name}_sum ${sum}`,
      `${name}_count ${count}`,
    ],
  }
}

export const APPEND_SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** A figure that goes up and down, or only up where it says so. */
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
  readonly value: number | Histogram
}

/** The text format of Prometheus. */
export function metricsText(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, type, help, value }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...(typeof value === 'number' ? [`${name} ${value}`] : value.lines(name)),
  ])
  return `${lines.join('\n')}\n`
}
