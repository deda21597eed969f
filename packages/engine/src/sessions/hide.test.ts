import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqliteIndex } from '@panoptes/engine/store'
import { expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions } from './index.ts'

const HIDDEN = { source: 'claude-code', id: 'session-0' }

it('is not written by a read that was under way when it was hidden', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-hide-'))
  const project = join(folder, 'projects', '-notes')
  mkdirSync(project, { recursive: true })
  for (let n = 0; n < 90; n += 1) {
    const rows = Array.from({ length: 100 }, (_, at) =>
      JSON.stringify({
        ...{ type: 'user', uuid: `u${n}-${at}`, timestamp: '2026-11-15T09:00:00Z' },
        message: { role: 'user', content: `words ${n} ${at} `.repeat(20) },
      }),
    )
    const file = join(project, `session-${n}.jsonl`)
    writeFileSync(file, `${rows.join('\n')}\n`)
    utimesSync(file, 1_000_000 + n, 1_000_000 + n)
  }
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env }))
  onTestFinished(async () => {
    await sessions.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const read = sessions.refresh()
  const done = () => sessions.status().find(({ source }) => source === HIDDEN.source)?.done ?? 0
  await expect.poll(done, { interval: 1, timeout: 10_000 }).toBeGreaterThan(1)
  expect(done()).toBeLessThan(80)
  unwrap(await sessions.hide([HIDDEN]))
  unwrap(await read)
  const index = unwrap(openSqliteIndex(join(folder, 'index.db'), { readOnly: true }))
  const written = unwrap(await index.fingerprints(HIDDEN.source))
  await index.close()
  expect(written.size).toBe(89)
  expect([...written.keys()]).not.toContain(HIDDEN.id)
})
