import { createHistogram, type Metric } from './metrics.ts'

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
