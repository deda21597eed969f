import type { ToolStats } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { addDuration, type Durations, quantile } from './durations.ts'
import { type Projection, type Rows, rowKey } from './projection.ts'

export interface ToolRow {
  readonly source: string
  readonly tool: string
  calls: number
  errors: number
  samples: number
  durations: Durations
}

/** Tracks how long each tool takes and how often it fails. Silence is measured against these durations. */
export const toolsProjection: Projection<ToolRow> = {
  name: 'tools',
  version: 1,
  apply: (rows, event) => {
    if (isKind(event, 'tool_use')) change(rows, event.source, event.tool, (row) => (row.calls += 1))
    else if (isKind(event, 'tool_refused'))
      change(rows, event.source, event.tool, (row) => {
        row.calls = Math.max(0, row.calls - 1)
      })
    else if (isKind(event, 'tool_done'))
      change(rows, event.source, event.tool, (row) => {
        if (event.ok === false) row.errors += 1
        if (typeof event.duration_ms !== 'number') return
        row.samples += 1
        addDuration(row.durations, event.duration_ms)
      })
  },
  place: (row) => ({ group: row.source, tag: 'all', order: row.calls, ref: row.tool }),
}

export const toToolStats = ({ durations, ...row }: ToolRow): ToolStats => ({
  ...row,
  p50_ms: quantile(durations, 0.5),
  p95_ms: quantile(durations, 0.95),
})

function change(
  rows: Rows<ToolRow>,
  source: string,
  tool: string | null | undefined,
  by: (row: ToolRow) => unknown,
): void {
  const name = tool ?? 'unknown'
  const key = rowKey(source, name)
  const row = rows.get(key) ?? { source, tool: name, calls: 0, errors: 0, samples: 0, durations: {} }
  by(row)
  rows.set(key, row)
}
