import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { openSessions } from './index.ts'

const RECORDED = new URL('../../../../fixtures/claude-code/transcripts', import.meta.url).pathname

it('reads everything for those who still wait when the one who began stops waiting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-shared-refresh-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env }))
  onTestFinished(async () => {
    await sessions.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const heard: string[] = []
  sessions.onRead((source) => heard.push(source))
  const first = new AbortController()
  const stopped = sessions.refresh(first.signal)
  const waiting = sessions.refresh()
  first.abort()
  unwrap(await stopped)
  unwrap(await waiting)
  expect(unwrap(await sessions.list({ limit: 10 }))).toHaveLength(4)
  expect(heard).toEqual(['claude-code'])
})
