import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSessions } from '@panoptes/engine/sessions'
import { openSqliteIndex } from '@panoptes/engine/store'
import { expect, it, onTestFinished } from 'vitest'
import { unwrap } from '../result.test-kit.ts'
import { throughArchive, withArchive } from './archived-source.ts'
import { promptRow, put, replied } from './claude-code/claude-code.test-kit.ts'
import { claudeCodeSource } from './claude-code/index.ts'
import { find, messagesOf, read, sessionOf } from './conformance/records.ts'

/** A source that counts how often a session is read from its file, behind an archive that was filled once. */
async function archived() {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-through-'))
  const projects = join(folder, 'projects')
  const file = (id: string) => join(projects, '-atlas', `${id}.jsonl`)
  const shared = [promptRow('Find the leak'), replied('a1', 'It is the valve', [1, 1])]
  put(file('origin'), shared)
  const copies = shared.map((row) => ({ ...row, sessionId: 'branch', forkedFrom: { sessionId: 'origin' } }))
  put(file('branch'), [...copies, replied('b1', 'Close it', [1, 1])])
  const history = join(folder, 'history.db')
  const sessions = unwrap(
    await openSessions({ file: history, env: { HOME: folder, CLAUDE_CONFIG_DIR: folder } }),
  )
  onTestFinished(async () => {
    await sessions.close()
    rmSync(folder, { recursive: true, force: true })
  })
  unwrap(await sessions.refresh())
  const inner = claudeCodeSource(projects)
  let reads = 0
  const counted: typeof inner = {
    ...inner,
    read: (...args) => {
      reads += 1
      return inner.read(...args)
    },
  }
  return { inner, counted, history, source: throughArchive(counted, history), file, count: () => reads }
}

it('is read from the archive alone while the session does not change', async () => {
  const { inner, source, count } = await archived()
  const listed = await find(source, 'origin')
  const [kept, original] = [await read(source, listed), await read(inner, listed)]
  expect([messagesOf(kept), sessionOf(kept)]).toEqual([messagesOf(original), sessionOf(original)])
  expect(count()).toBe(0)
})

it('is read from the source once the session changed', async () => {
  const { source, file, count } = await archived()
  appendFileSync(file('origin'), `${JSON.stringify(replied('a2', 'It was the seal', [1, 1]))}\n`)
  expect(JSON.stringify(await read(source, await find(source, 'origin')))).toContain('It was the seal')
  expect(count()).toBe(1)
})

it('is read from the source if the session begins with a copy, because callers differ in what they count', async () => {
  const { source, count } = await archived()
  await read(source, await find(source, 'branch'))
  expect(count()).toBe(1)
})

it('is read from the archive when only what is made of the session is made again', async () => {
  const { inner, counted, history, file, count } = await archived()
  const index = unwrap(openSqliteIndex(history, { readOnly: true }))
  onTestFinished(() => index.close())
  const source = withArchive(
    counted,
    async () => index.archive,
    () => true,
  )
  for (const id of ['origin', 'branch']) {
    const listed = { ...(await find(source, id)), isRemade: true }
    const [kept, original] = [await read(source, listed), await read(inner, listed)]
    expect([messagesOf(kept), sessionOf(kept)]).toEqual([messagesOf(original), sessionOf(original)])
  }
  expect(count()).toBe(0)
  appendFileSync(file('origin'), `${JSON.stringify(replied('a2', 'It was the seal', [1, 1]))}\n`)
  const grown = { ...(await find(source, 'origin')), isRemade: true }
  await read(source, grown)
  expect(count()).toBe(1)
})
