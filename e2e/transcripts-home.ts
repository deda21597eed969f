import { appendFile, cp } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHome, ROOT, type TestHome } from './command.ts'

/** Where Claude Code stores its sessions. */
export const projectsIn = (home: TestHome): string => join(home.folder, '.claude', 'projects')

/** The number of recorded sessions. */
export const RECORDED = 4

/** Copies the recorded Claude Code sessions. */
export const addRecordedSessions = (home: TestHome): Promise<void> =>
  cp(join(ROOT, 'fixtures', 'claude-code', 'transcripts'), projectsIn(home), { recursive: true })

export async function homeWithTranscripts(): Promise<TestHome> {
  const home = await makeHome()
  await addRecordedSessions(home)
  return home
}

/** Appends a user message to a Claude Code transcript. */
export function sayIn(home: TestHome, file: string, content: string): Promise<void> {
  const row = { type: 'user', uuid: content, timestamp: new Date().toISOString() }
  const line = JSON.stringify({ ...row, message: { role: 'user', content } })
  return appendFile(join(projectsIn(home), '-home-dev-notes', file), `${line}\n`)
}
