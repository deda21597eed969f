import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { createPrices } from '@panoptes/engine/models'
import { openSources } from '@panoptes/engine/sources'
import { openSqliteIndex } from '@panoptes/engine/store'
import { expect, it, onTestFinished } from 'vitest'
import { generateHermesState } from '../../../../fixtures/hermes/generator/index.ts'
import { readAll } from './reading.ts'
import { type RefreshOptions, refresh } from './refresh.ts'

it("matches Hermes' own totals and re-reads only what changed", async () => {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-totals-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const state = join(home, 'state.db')
  generateHermesState({ file: state, sessions: 30, messages: 20, seed: 3 })
  const db = new DatabaseSync(state)
  db.exec('UPDATE sessions SET actual_cost_usd = 0.25 WHERE input_tokens > 0')
  const counted = db
    .prepare(
      `SELECT count(*) AS sessions, sum(input_tokens) AS input, sum(output_tokens) AS output, sum(cache_read_tokens) AS cache_read,
         cast(round(sum(actual_cost_usd) * 1e6) AS INTEGER) AS cost_micro_usd FROM sessions`,
    )
    .get()
  const opened = openSqliteIndex(join(home, 'sessions.db'))
  const [source] = openSources({ HERMES_HOME: home }).filter(({ name }) => name === 'hermes')
  if (!opened.ok || source === undefined) throw new Error('there is nothing to fill')
  onTestFinished(() => opened.value.close())
  const prices = createPrices()
  const read: RefreshOptions['read'] = (listed) => readAll({ source, listed, prices })
  const again = () => refresh({ source, index: opened.value, read })

  expect(await again()).toMatchObject({ ok: true, value: { read: counted?.sessions, problems: [] } })
  const listed = await opened.value.list({ limit: 1_000 })
  const sessions = listed.ok ? listed.value : []
  const sum = (field: 'input' | 'output' | 'cache_read' | 'cost_micro_usd') =>
    sessions.reduce((total, { spent }) => total + spent[field], 0)
  expect({
    sessions: sessions.length,
    input: sum('input'),
    output: sum('output'),
    cache_read: sum('cache_read'),
    cost_micro_usd: sum('cost_micro_usd'),
  }).toEqual({ ...counted })
  // Hermes did not count these sessions, so their usage is unknown.
  expect(sessions.find(({ id }) => id === 'edge_04')?.spent).toMatchObject({ input: 0, usage_unknown: 1 })

  expect(await again()).toMatchObject({ value: { read: 0, unchanged: counted?.sessions } })
  db.exec("UPDATE sessions SET title = 'another' WHERE id = 'edge_05'")
  expect(await again()).toMatchObject({ value: { read: 1, dropped: 0 } })
  db.exec("DELETE FROM messages WHERE session_id = 'edge_05'; DELETE FROM sessions WHERE id = 'edge_05'")
  expect(await again()).toMatchObject({ value: { read: 0, dropped: 1 } })
  db.close()
})
