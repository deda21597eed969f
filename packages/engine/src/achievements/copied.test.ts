import { randomUUID } from 'node:crypto'
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { count, openHome, settle, tempHome } from './achievements.test-kit.ts'

const said = (sessionId: string, text: string, more: object = {}) => ({
  type: 'user',
  uuid: randomUUID(),
  sessionId,
  timestamp: '2026-05-05T10:00:00Z',
  message: { role: 'user', content: text },
  ...more,
})
const linesOf = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join('')

it('counts what a branch copied once, though the session it is from is gone', async () => {
  const home = tempHome()
  const folder = join(home.folder, '.claude', 'projects', '-atlas')
  mkdirSync(folder, { recursive: true })
  const fileOf = (id: string) => join(folder, `${id}.jsonl`)
  const rows = [said('old', 'error'), said('old', 'error')]
  const queued = { type: 'queue-operation', sessionId: 'unmarked', timestamp: '2026-05-06T10:00:00Z' }
  writeFileSync(fileOf('old'), linesOf(rows))
  writeFileSync(fileOf('marked'), linesOf(rows.map((row) => ({ ...row, forkedFrom: { sessionId: 'old' } }))))
  writeFileSync(
    fileOf('unmarked'),
    linesOf([queued, ...rows.map((row) => ({ ...row, sessionId: 'unmarked' }))]),
  )
  const { achievements } = await openHome(home)
  const all = { source: 'all' } as const
  await settle(achievements, all)
  expect(await count(achievements, all)).toMatchObject({ session_count: 3, total_errors: 2 })
  rmSync(fileOf('old'))
  appendFileSync(fileOf('marked'), linesOf([said('marked', 'error')]))
  await settle(achievements, all)
  expect(await count(achievements, all)).toMatchObject({ session_count: 3, total_errors: 3 })
})
