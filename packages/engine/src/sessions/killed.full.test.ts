import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteIndex, type SessionIndex } from '@panoptes/engine/store'
import { expect, it, onTestFinished } from 'vitest'
import { writeTranscripts } from '../../../../bench/history-data.ts'
import { unwrap } from '../result.test-kit.ts'
import { openSessions } from './open.ts'

const CHILD = fileURLToPath(new URL('./killed.child.ts', import.meta.url))
const KILLS = 25
const SOURCE = 'claude-code'

/** Returns whether the process was still reading when its time was up. */
async function readUntilKilled(folder: string, file: string, afterMs: number): Promise<boolean> {
  const child = spawn(process.execPath, [CHILD, folder, file, String(afterMs)], { stdio: 'inherit' })
  const [, signal] = await once(child, 'exit')
  return signal === 'SIGKILL'
}

/** Everything that a file keeps of the sessions, without the numbers that depend on the order of reading. */
async function contents(file: string, folder: string) {
  const sessions = unwrap(await openSessions({ file, env: { HOME: folder }, zone: 'UTC' }))
  unwrap(await sessions.refresh())
  const list = unwrap(await sessions.list({ limit: 1_000 })).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  const found = unwrap(await sessions.search({ text: 'zebra ', limit: 200 }))
  await sessions.close()
  const index = unwrap(openSqliteIndex(file, { readOnly: true }))
  const rows = []
  for (const { id } of list) rows.push(await readArchivedSession(index, id))
  const folded = []
  for (const fold of ['contribution', 'account']) {
    const versions = unwrap(await index.folded(fold, SOURCE))
    const docs = unwrap(
      await index.foldDocs(
        fold,
        SOURCE,
        list.map(({ id }) => id),
      ),
    )
    folded.push({ versions: versions.map(({ version }) => version).sort(), docs: [...docs].sort() })
  }
  const hidden = unwrap(await index.hidden())
  await index.close()
  return { list, found: found.map(({ session_id, n }) => `${session_id} ${n}`).sort(), rows, folded, hidden }
}

async function readArchivedSession({ archive }: SessionIndex, id: string) {
  if (archive === undefined) throw new Error('there is no archive')
  const head = unwrap(await archive.head(SOURCE, id))
  const messages = []
  for (let from: number | null = 0; from !== null; ) {
    const page: { readonly records: readonly unknown[]; readonly next: number | null } | null = unwrap(
      await archive.read(SOURCE, id, from),
    )
    messages.push(...(page?.records ?? []))
    from = page?.next ?? null
  }
  return { head, messages }
}

it('what is kept of sessions equals a run without kills, wherever reading was killed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-killed-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { folder: written, files } = writeTranscripts(folder, 150, 5)
  // Claude Code's folder in the home of a person.
  renameSync(written, join(folder, '.claude'))
  const home = join(folder, 'home')
  const file = join(home, 'killed.db')
  let killed = 0
  for (let n = 0; n < KILLS; n += 1) {
    // Some sessions grow between two kills, so that they are read again and replaced.
    const grown = files[n % files.length]?.replace('/claude/', '/.claude/') ?? ''
    appendFileSync(
      grown,
      `${JSON.stringify({ type: 'user', uuid: `g${n}`, timestamp: '2026-11-02T00:00:00Z', message: { role: 'user', content: `zebra ${n}` } })}\n`,
    )
    if (await readUntilKilled(folder, file, Math.random() * 1_500)) killed += 1
  }
  expect(killed).toBeGreaterThan(0)
  expect(await contents(file, folder)).toEqual(await contents(join(home, 'whole.db'), folder))
})
