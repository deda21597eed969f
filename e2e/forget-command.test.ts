import { appendFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Forgettable, ForgotReply, PastSession } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { startDaemon } from './daemon.ts'

const MARKER = 'zyzzogeton'

let home: TestHome
beforeAll(async () => {
  home = await makeHome()
  const project = join(home.folder, '.claude', 'projects', '-home-dev-notes')
  await mkdir(project, { recursive: true })
  for (const [id, said] of [
    [`alone-${MARKER}`, `${MARKER} alone`],
    [`beside-${MARKER}`, `${MARKER} beside`],
    ['other', 'something else'],
  ] as const) {
    const row = { type: 'user', uuid: `u-${id}`, sessionId: id, timestamp: '2026-11-15T09:00:00Z', cwd: '/x' }
    await writeFile(
      join(project, `${id}.jsonl`),
      `${JSON.stringify({ ...row, message: { role: 'user', content: said } })}\n`,
    )
  }
})
afterAll(() => home.remove())

const run = (...args: string[]) => runCommand(home, args)
const list = async () =>
  (JSON.parse((await run('sessions', 'list', '--json')).stdout) as PastSession[]).map(({ id }) => id).sort()

/** Reads a file that a running daemon may delete meanwhile. */
function orNothing(error: NodeJS.ErrnoException): string {
  if (error.code !== 'ENOENT') throw error
  return ''
}

/** Files of Panoptes that contain a text. */
async function holding(text: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const entry of await readdir(home.panoptes, { withFileTypes: true, recursive: true })) {
    if (!entry.isFile()) continue
    const written = await readFile(join(entry.parentPath, entry.name)).catch(orNothing)
    if (written.includes(text)) found.push(entry.name)
  }
  return found
}

function withStore<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(join(home.panoptes, 'ledger.db'))
  try {
    return work(db)
  } finally {
    db.close()
  }
}

const waiting = (db: DatabaseSync): readonly unknown[] =>
  db
    .prepare('SELECT id FROM forgetting')
    .all()
    .map(({ id }) => id)

describe('panoptes forget', () => {
  it('lists what it would forget, asks, and forgets for good, without a daemon', async () => {
    expect(await list()).toHaveLength(3)
    const dry = await run('forget', `alone-*`, '--dry-run', '--json')
    expect((JSON.parse(dry.stdout) as { sessions: Forgettable[] }).sessions).toHaveLength(1)
    expect(await run('forget', 'alone-*')).toMatchObject({ code: 2, stdout: '' })
    // The state that a killed command leaves.
    const pending = withStore((db) => {
      db.exec("INSERT INTO forgetting VALUES ('claude-code', 'left-behind')")
      return waiting(db)
    })
    expect(pending).toEqual(['left-behind'])
    expect(await run('forget', 'nobody-*')).toMatchObject({ code: 1 })
    expect(withStore(waiting)).toEqual([])
    const { stdout, code } = await run('forget', 'alone-*', '--yes')
    expect(code).toBe(0)
    expect(stdout).toContain('Permanently deleted 1 session\n')
    expect(stdout).toMatch(/^ {2}index +messages +1$/m)
    expect(stdout).toContain("The agents' own files are not touched")
    expect(await list()).toEqual([`beside-${MARKER}`, 'other'])
    expect(await holding('alone')).toEqual([])
  })

  it('forgets through a running daemon, and a restart does not bring it back', async () => {
    const daemon = await startDaemon({ home })
    try {
      const id = `beside-${MARKER}`
      const event = { event: 'prompt', source: 'claude-code', session_id: id, id: 'p1', text: MARKER }
      await appendFile(join(home.panoptes, 'events.jsonl'), `${JSON.stringify(event)}\n`)
      const told = async () => (await daemon.request(`/api/events?session=${id}`)).text()
      await expect.poll(told).toContain('p1')
      await expect.poll(list).toEqual([id, 'other'])
      const forgot = JSON.parse((await run('forget', id, '--yes', '--json')).stdout) as ForgotReply
      const count = (from: string, what: string) =>
        forgot.removed.find((each) => each.from === from && each.what === what)?.count
      expect(count('index', 'sessions')).toBe(1)
      expect(count('journal', 'lines')).toBe(1)
      expect(count('ledger', 'events')).toBeGreaterThanOrEqual(1)
      expect(await holding(MARKER)).toEqual([])
      expect(await told()).not.toContain('p1')
      await appendFile(join(home.panoptes, 'events.jsonl'), `${JSON.stringify({ ...event, id: 'p2' })}\n`)
      const other = { ...event, session_id: 'other', id: 'p3', text: 'x' }
      await appendFile(join(home.panoptes, 'events.jsonl'), `${JSON.stringify(other)}\n`)
      await expect
        .poll(async () => (await daemon.request('/api/events?session=other')).text())
        .toContain('p3')
      expect(await told()).not.toContain('p2')
    } finally {
      await daemon.stop()
    }
    expect(await list()).toEqual(['other'])
  })
})
