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

const all = { source: 'all' } as const

/** A home with a session and a counted copy of it; then the original disappears. */
async function withCopy(copy: (rows: readonly object[]) => readonly object[]) {
  const home = tempHome()
  const folder = join(home.folder, '.claude', 'projects', '-atlas')
  mkdirSync(folder, { recursive: true })
  const [old, branch] = [join(folder, 'old.jsonl'), join(folder, 'branch.jsonl')]
  const rows = [said('old', 'error'), said('old', 'error')]
  writeFileSync(old, linesOf(rows))
  writeFileSync(branch, linesOf(copy(rows)))
  const { achievements } = await openHome(home)
  await settle(achievements, all)
  expect(await count(achievements, all)).toMatchObject({ session_count: 2, total_errors: 2 })
  rmSync(old)
  return { achievements, branch }
}

it('counts what a branch copied once, although the original session is gone', async () => {
  const { achievements, branch } = await withCopy((rows) =>
    rows.map((row) => ({ ...row, forkedFrom: { sessionId: 'old' } })),
  )
  appendFileSync(branch, linesOf([said('branch', 'error')]))
  await settle(achievements, all)
  expect(await count(achievements, all)).toMatchObject({ session_count: 2, total_errors: 3 })
})

it('counts an unmarked copy once, as long as it does not change', async () => {
  const queued = { type: 'queue-operation', sessionId: 'branch', timestamp: '2026-05-06T10:00:00Z' }
  const { achievements } = await withCopy((rows) => [
    queued,
    ...rows.map((row) => ({ ...row, sessionId: 'branch' })),
  ])
  await settle(achievements, all)
  expect(await count(achievements, all)).toMatchObject({ session_count: 2, total_errors: 2 })
})
