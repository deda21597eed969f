import type { StoredEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { MemoryRows } from './memory-rows.ts'
import { rowKey } from './projection.ts'
import { toolsProjection, toToolStats } from './tools.ts'

const rows = () => {
  const made = new MemoryRows(toolsProjection)
  const tell = (event: string, fields: object) => {
    const base = { v: 1, key: 'k', seq: 1, ts: 1, source: 'hermes', host: 'h', session_id: 's' }
    toolsProjection.apply(made, { ...base, event, ...fields } as StoredEvent)
  }
  const stats = (tool: string, source = 'hermes') => {
    const row = made.get(rowKey(source, tool))
    return row && toToolStats(row)
  }
  return { tell, stats }
}

it('counts calls, failures and durations of each tool of each source', () => {
  const { tell, stats } = rows()
  for (let n = 0; n < 20; n += 1) {
    tell('tool_use', { tool: 'Bash' })
    tell('tool_done', { tool: 'Bash', ok: n !== 3, duration_ms: n === 19 ? 64_000 : 1_000 })
  }
  tell('tool_use', { tool: 'Bash', source: 'codex' })
  tell('tool_done', { tool: 'Bash', ok: true })
  expect(stats('Bash')).toMatchObject({ calls: 20, errors: 1, samples: 20, p50_ms: 1_024, p95_ms: 1_024 })
  tell('tool_done', { tool: 'Bash', ok: true, duration_ms: 64_000 })
  expect(stats('Bash')).toMatchObject({ samples: 21, p95_ms: 65_536 })
  expect(stats('Bash', 'codex')).toMatchObject({ calls: 1, samples: 0, p50_ms: null, p95_ms: null })
})

it('does not count a denied tool call, and never goes below zero', () => {
  const { tell, stats } = rows()
  tell('tool_use', { tool: 'Bash' })
  tell('tool_use', { tool: 'Bash' })
  tell('tool_refused', { tool: 'Bash' })
  expect(stats('Bash')?.calls).toBe(1)
  for (let n = 0; n < 3; n += 1) tell('tool_refused', { tool: 'Bash' })
  expect(stats('Bash')?.calls).toBe(0)
  tell('tool_use', {})
  expect(stats('unknown')?.calls).toBe(1)
})
