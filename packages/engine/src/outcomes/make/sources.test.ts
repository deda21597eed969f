import { cpSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { SessionSource } from '@panoptes/engine/sources'
import { openSqliteIndex } from '@panoptes/engine/store'
import { type Account, account as accountSchema, type Spent } from '@panoptes/schema'
import { expect, it, onTestFinished } from 'vitest'
import { generateHermesState } from '../../../../../fixtures/hermes/generator/index.ts'
import { readAll } from '../../sessions/reading.ts'
import { refresh } from '../../sessions/refresh.ts'
import { accountsOf, claudeCode, fixture, MAKING, recordedSource, temporary } from './make.test-kit.ts'

/** The usage per session according to the session index. */
async function spentBy(source: SessionSource): Promise<ReadonlyMap<string, Spent>> {
  const opened = openSqliteIndex(join(temporary(), 'sessions.db'))
  if (!opened.ok) throw new Error(opened.message)
  onTestFinished(() => opened.value.close())
  const { prices } = MAKING
  const done = await refresh({
    source,
    index: opened.value,
    read: (listed) => readAll({ source, listed, prices }),
  })
  if (!done.ok) throw new Error(done.message)
  const listed = await opened.value.list({ limit: 1_000 })
  if (!listed.ok) throw new Error(listed.message)
  return new Map(listed.value.map(({ id, spent }) => [id, spent]))
}

const SUMMED = {
  input: 'tokens_in',
  output: 'tokens_out',
  cache_read: 'cache_read',
  cache_write: 'cache_write',
  cost_micro_usd: 'cost_micro_usd',
  usage_unknown: 'usage_unknown',
  cost_unknown: 'cost_unknown',
} as const

const summed = ({ cells }: Account): Partial<Spent> =>
  Object.fromEntries(
    Object.entries(SUMMED).map(([name, field]) => [name, cells.reduce((sum, cell) => sum + cell[field], 0)]),
  )

/** Checks that every session has a valid account whose cells add up to what the index says. */
async function holds(source: SessionSource): Promise<readonly Account[]> {
  const accounts = await accountsOf(source)
  const spent = await spentBy(source)
  expect(accounts.length).toBeGreaterThan(0)
  expect(accounts.map(({ session_id }) => session_id).sort()).toEqual([...spent.keys()].sort())
  for (const each of accounts) {
    expect(accountSchema.parse(each)).toEqual(each)
    expect(spent.get(each.session_id)).toMatchObject(summed(each))
    for (const { agent_id, tokens_in, tokens_out, cost_micro_usd } of each.agents) {
      const own = each.cells.filter((cell) => cell.agent_id === agent_id)
      expect(tokens_in ?? 0).toBe(own.reduce((sum, cell) => sum + cell.tokens_in, 0))
      expect(tokens_out ?? 0).toBe(own.reduce((sum, cell) => sum + cell.tokens_out, 0))
      expect(cost_micro_usd ?? 0).toBe(own.reduce((sum, cell) => sum + cell.cost_micro_usd, 0))
    }
  }
  return accounts
}

it('add up to the session index for recorded sessions of Claude Code', async () => {
  await holds(claudeCode())
})

it.each(['0.98.0', '0.145.0', '0.166.0', '0.166.0-agents-v2'])('add up for Codex %s', async (version) => {
  const home = temporary()
  cpSync(fixture(`codex/${version}`), home, { recursive: true })
  const accounts = await holds(recordedSource('codex', { HOME: home, CODEX_HOME: home }))
  expect(accounts.some(({ agents }) => agents.some(({ tool_use_count }) => tool_use_count > 0))).toBe(true)
})

it('add up for OpenCode', async () => {
  const home = temporary()
  mkdirSync(join(home, 'opencode'))
  const db = new DatabaseSync(join(home, 'opencode', 'opencode.db'))
  db.exec(readFileSync(fixture('opencode/schema.sql'), 'utf8'))
  db.exec(readFileSync(fixture('opencode/recording.sql'), 'utf8'))
  db.close()
  await holds(recordedSource('opencode', { HOME: home, XDG_DATA_HOME: home }))
})

it('add up for Hermes, whose sessions report totals', async () => {
  const home = temporary()
  generateHermesState({ file: join(home, 'state.db'), sessions: 30, messages: 20, seed: 3 })
  const accounts = await holds(recordedSource('hermes', { HOME: home, HERMES_HOME: home }))
  expect(accounts.some(({ cells }) => cells.length > 0)).toBe(true)
})
