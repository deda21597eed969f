import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname

/**
 * An independent script added these totals up from the files. It counts the last usage of each `message.id` once,
 * at these prices in dollars per million tokens, and rounds each reply to a whole micro-dollar.
 *
 * | model            | input | output | from the cache | to the cache |
 * |------------------|-------|--------|----------------|--------------|
 * | claude-opus-4-8  | 5     | 25     | 0.50           | 6.25         |
 * | claude-haiku-4-5 | 1     | 5      | 0.10           | 1.25         |
 *
 * | session  | agent    | model | replies | input | output | from | to | micro-dollars of each reply   | sum  |
 * |----------|----------|-------|---------|-------|--------|------|----|-------------------------------|------|
 * | 03c5563d | main     | opus  | 3       | 303   | 126    | 150  | 21 | 1594, 1624, 1654              | 4872 |
 * | 290c6983 | main     | opus  | 5       | 510   | 210    | 500  | 35 | 1594, 1624, 1654, 1684, 1714  | 8270 |
 * | 30d748bb | main     | opus  | 3       | 303   | 126    | 150  | 21 | 1594, 1624, 1654              | 4872 |
 * | ea691ccd | main     | opus  | 3       | 303   | 126    | 150  | 21 | 1594, 1624, 1654              | 4872 |
 * | ea691ccd | a24c5c34 | haiku | 3       | 303   | 126    | 150  | 21 | 319, 325, 331                 | 975  |
 * | ea691ccd | a74ba0b6 | opus  | 3       | 303   | 126    | 150  | 21 | 1594, 1624, 1654              | 4872 |
 * | ea691ccd | abc9b853 | opus  | 2       | 201   | 84     | 50   | 14 | 1594, 1624                    | 3218 |
 */
const TABLE: readonly (readonly [string, string, number, number, number, number, readonly number[]])[] = [
  ['03c5563d', 'main', 303, 126, 150, 21, [1594, 1624, 1654]],
  ['290c6983', 'main', 510, 210, 500, 35, [1594, 1624, 1654, 1684, 1714]],
  ['30d748bb', 'main', 303, 126, 150, 21, [1594, 1624, 1654]],
  ['ea691ccd', 'main', 303, 126, 150, 21, [1594, 1624, 1654]],
  ['ea691ccd', 'a24c5c34', 303, 126, 150, 21, [319, 325, 331]],
  ['ea691ccd', 'a74ba0b6', 303, 126, 150, 21, [1594, 1624, 1654]],
  ['ea691ccd', 'abc9b853', 201, 84, 50, 14, [1594, 1624]],
]
const SESSIONS: Readonly<Record<string, number>> = {
  '03c5563d': 4872,
  '290c6983': 8270,
  '30d748bb': 4872,
  ea691ccd: 4872 + 975 + 4872 + 3218,
}

it('matches tokens and costs counted by hand for each reply, agent and session', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-totals-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env }))
  onTestFinished(() => sessions.close())
  unwrap(await sessions.refresh())
  const found: (typeof TABLE)[number][] = []
  const list = unwrap(await sessions.list({ limit: 10 })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  for (const { source, id, spent } of list) {
    const { agents, messages } = unwrap(await sessions.transcript({ source, id, from: 0, limit: 1_000 }))
    expect(spent.cost_micro_usd).toBe(SESSIONS[id.slice(0, 8)])
    expect([spent.usage_unknown, spent.cost_unknown]).toEqual([0, 0])
    for (const agent of agents.toSorted((a, b) => order(a.id) - order(b.id) || (a.id < b.id ? -1 : 1))) {
      const costs = messages
        .filter((message) => message.agent_id === agent.id && message.cost_micro_usd !== null)
        .map((message) => message.cost_micro_usd ?? 0)
      const { input, output, cache_read, cache_write } = agent.spent
      found.push([id.slice(0, 8), agent.id.slice(0, 8), input, output, cache_read, cache_write, costs])
      expect(agent.spent.cost_micro_usd).toBe(costs.reduce((sum, cost) => sum + cost, 0))
    }
  }
  expect(found).toEqual(TABLE)
})

const order = (id: string): number => (id === 'main' ? 0 : 1)
